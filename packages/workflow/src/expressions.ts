import { ContractFault } from "@holdfast/domain";
import type { Ref as Later } from "./later.ts";
import { type Literal, later, pointerOf, type Ref, templateOf } from "./ref.ts";
import { toTemplate } from "./to-template.ts";

type TextPart = string | number | boolean;

/**
 * One text of several parts: texts and numbers, and values that will be such. It is missing if one
 * of them is missing or null: give that one a `fallback`. Throws a `ContractFault`
 * (`workflow.invalid`) for anything else, and for no parts.
 */
export function concat<
  const Parts extends readonly (TextPart | Later<TextPart | null | undefined>)[],
>(...parts: Parts): Ref<string | MissingPart<Parts[number]>> {
  if (parts.length === 0 || !parts.every(isPartOfText)) {
    throw new ContractFault(
      "workflow.invalid",
      `concat(${parts.map(shown).join(", ")}): give it texts, numbers, truth values and refs, at least one`,
    );
  }
  return later({ $concat: parts.map((part) => toTemplate(part)) });
}

/** `undefined`, if one of the parts may be missing. */
type MissingPart<Part> =
  Part extends Later<infer Value>
    ? null extends Value
      ? undefined
      : Extract<Value, undefined>
    : never;

/**
 * The value, or the other one where it is missing or null. The other one may be a value that will
 * be known, too. Throws a `ContractFault` (`workflow.invalid`) if the value is no ref.
 */
export function fallback<T, U>(value: Later<T>, other: Later<U>): Later<NonNullable<T> | U>;
export function fallback<T>(value: Later<T>, other: Literal<NonNullable<T>>): Later<NonNullable<T>>;
export function fallback(value: unknown, other: unknown): Later<unknown> {
  const first = templateOf(value);
  if (first !== null) return later({ $fallback: [first, toTemplate(other)] });
  throw new ContractFault(
    "workflow.invalid",
    `fallback(${shown(value)}, …): give it a value that is a ref, and what stands for it where there is none`,
  );
}

const isPartOfText = (part: unknown): boolean =>
  templateOf(part) !== null || ["string", "number", "boolean"].includes(typeof part);

const shown = (value: unknown): string => pointerOf(value) ?? typeof value;
