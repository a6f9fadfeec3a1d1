import { ContractFault, expressionIn, type Template as WrittenTemplate } from "@holdfast/domain";
import type { Ref as Later } from "./later.ts";

/**
 * A value that will exist when the step runs: the task's input, or what an earlier step returned.
 * It can be reached into and handed to a step. It cannot be computed with, because the definition
 * is written down once and the Scheduler, which may be anywhere, fills the value in.
 */
export type Ref<T> = Later<T> & (IsRecord<NonNullable<T>> extends true ? Reach<T> : unknown);

/** What is below a value that may be missing, or null, may be missing or null too. */
type Reach<T> = {
  readonly [K in keyof NonNullable<T>]-?: Ref<
    NonNullable<T>[K] | Extract<T, null> | Extract<T, undefined>
  >;
};

/**
 * What a step can be given: literal data with refs anywhere in it. A field whose value is missing
 * is left out, so a ref that may lead to nothing goes where the field may be left out.
 */
export type Template<T> = Later<T> | Literal<T>;
export type Literal<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: WholeTemplate<T[K]> }
  : T extends object
    ? { readonly [K in keyof T]: Template<T[K]> }
    : T;

/**
 * The template of an element of a list, or of all that a step is given: a value that is missing is
 * null there.
 */
export type WholeTemplate<T> = Template<T> | (null extends T ? Ref<T | undefined> : never);

/**
 * What a template becomes once its refs have their values. A field of a missing value is left out.
 */
export type ResultOf<Planned> =
  Planned extends Later<infer Value>
    ? Exclude<Value, undefined> | (undefined extends Value ? null : never)
    : // biome-ignore lint/suspicious/noConfusingVoidType: a plan that returns nothing
      Planned extends undefined | void
      ? null
      : Planned extends readonly unknown[]
        ? { readonly [K in keyof Planned]: ResultOf<Planned[K]> }
        : Planned extends object
          ? FieldsOf<Planned>
          : Planned;

type FieldsOf<Planned> = {
  readonly [K in keyof Planned as MayBeMissing<Planned[K]> extends true ? never : K]: ResultOf<
    Planned[K]
  >;
} & {
  readonly [K in keyof Planned as MayBeMissing<Planned[K]> extends true ? K : never]?: Exclude<
    Planned[K] extends Later<infer Value> ? Value : never,
    undefined
  >;
};

type MayBeMissing<Planned> =
  Planned extends Later<infer Value> ? (undefined extends Value ? true : false) : false;

/** Whether a type can be reached into: only objects with known keys can. */
type IsRecord<T> = [T] extends [readonly unknown[]]
  ? false
  : [T] extends [object]
    ? string extends keyof T
      ? false
      : true
    : false;

/**
 * Returns the same value, now known to be there: for a step whose condition says that it is. A
 * workflow whose condition does not say so is refused when it is stored.
 */
export const present = <T>(value: Ref<T>): Ref<NonNullable<T>> =>
  value as unknown as Ref<NonNullable<T>>;

/**
 * Returns the element of a list at an index from 0 on. It may be missing: a list may be shorter.
 * Throws a `ContractFault` (`workflow.invalid`) for what is no such index, or no ref.
 */
export function at<T extends readonly unknown[] | null | undefined>(
  list: Ref<T>,
  index: number,
): Ref<NonNullable<T>[number] | undefined> {
  const pointer = pointerOf(list);
  if (pointer === null || !Number.isSafeInteger(index) || index < 0) {
    throw new ContractFault(
      "workflow.invalid",
      `at(${pointer ?? typeof list}, ${index}): give it a list that is a ref, and an index from 0 on`,
    );
  }
  return refTo(`${pointer}/${index}`);
}

const templateKey = Symbol("template");
/** The method by which Node prints a value. */
const inspectKey = Symbol.for("nodejs.util.inspect.custom");

/**
 * Makes a ref. It prints as `Ref(/input/city)`. Everything that would take it for the value itself
 * throws: it stands on a function, so that a call of it, such as of a method of texts, does too.
 */
export const refTo = <T>(pointer: string): Ref<T> => later({ $ref: pointer });

/**
 * Makes what stands for the value of a template. Below a ref are refs; what is made of refs cannot
 * be reached into.
 */
export function later<T>(template: WrittenTemplate): Ref<T> {
  const expression = expressionIn(template);
  const pointer = expression?.kind === "ref" ? expression.pointer : null;
  const name = pointer ?? JSON.stringify(template);
  const refuse = () => {
    throw new ContractFault("workflow.ref_used_as_value", explain(name));
  };
  const inspect = () => `Ref(${name})`;
  const get = (_: object, key: string | symbol) => {
    if (key === templateKey) return template;
    if (key === inspectKey) return inspect;
    if (pointer === null || typeof key === "symbol" || conversions.has(key)) return refuse();
    return refTo(pointer + pointerPart(key));
  };
  const traps = {
    get,
    has: refuse,
    ownKeys: refuse,
    getOwnPropertyDescriptor: refuse,
    apply: refuse,
  };
  return new Proxy(emptyFunction(inspect), traps) as unknown as Ref<T>;
}

/**
 * A function without the properties of one, so that each key of a ref is free for a field of its
 * value.
 */
function emptyFunction(inspect: () => string): () => string {
  const target = (): string => inspect();
  Reflect.deleteProperty(target, "name");
  Reflect.deleteProperty(target, "length");
  // Node looks at what a proxy stands on.
  Reflect.set(target, inspectKey, inspect);
  return Object.freeze(target);
}

/** One key as a part of a JSON Pointer. */
export const pointerPart = (key: string): string =>
  `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** What JavaScript calls when it wants the value behind an object. */
const conversions: ReadonlySet<string> = new Set(["toString", "valueOf", "toJSON"]);

/** What stands in a definition for a value that is known later; null for whatever is none. */
export function templateOf(value: unknown): WrittenTemplate | null {
  if (!isReachable(value)) return null;
  return (Reflect.get(value, templateKey) as WrittenTemplate | undefined) ?? null;
}

/** `/steps/charge/chargeId`; null for whatever is not a ref. */
export function pointerOf(value: unknown): string | null {
  const expression = expressionIn(templateOf(value));
  return expression?.kind === "ref" ? expression.pointer : null;
}

const isReachable = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

const explain = (pointer: string) =>
  `${pointer} is not known yet: hand it to a step as it is, decide on it with onlyIf, make a text of it with concat, or let an Agent compute with it`;
