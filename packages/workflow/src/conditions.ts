import type { Condition } from "@holdfast/domain";
import { type Ref, type Template, templateOf } from "./ref.ts";
import { toTemplate } from "./to-template.ts";

/** A condition, or a value that is true or not: one that is missing or null is not. */
export type Conditional = Condition | Ref<boolean | null | undefined>;

/** The condition that a value is true, where a value stands for one. */
export const conditionOf = (conditional: Conditional): Condition =>
  templateOf(conditional) === null
    ? (conditional as Condition)
    : { equals: [toTemplate(conditional), true] };

/** The value, once known, is this one. Objects and lists are compared by content. */
export const equals = <T>(value: Ref<T>, other: Template<NoInfer<T>>): Condition => ({
  equals: [toTemplate(value), toTemplate(other)],
});

/** The value, once known, is one of these. */
export const isIn = <T>(value: Ref<T>, others: readonly Template<NoInfer<T>>[]): Condition => ({
  in: [toTemplate(value), others.map((other) => toTemplate(other))],
});

/**
 * A number, or a value that will be one. One that is missing, null or no number is neither greater
 * nor less.
 */
type Comparable = Ref<number | null | undefined>;

/** Both are numbers, and the value is greater than the other. */
export const greaterThan = (value: Comparable, other: Comparable | number): Condition => ({
  greaterThan: [toTemplate(value), toTemplate(other)],
});

/** Both are numbers, and the value is less than the other. */
export const lessThan = (value: Comparable, other: Comparable | number): Condition => ({
  lessThan: [toTemplate(value), toTemplate(other)],
});

/** The value is there and not null; so the output of a skipped step does not exist. */
export const exists = (value: Ref<unknown>): Condition => ({ exists: toTemplate(value) });

export const not = (condition: Conditional): Condition => ({ not: conditionOf(condition) });

/** All of them hold; of none, too. */
export const and = (...conditions: readonly Conditional[]): Condition => ({
  and: conditions.map(conditionOf),
});

/** A condition that holds if at least one of them does. */
export const or = (...conditions: readonly Conditional[]): Condition => ({
  or: conditions.map(conditionOf),
});
