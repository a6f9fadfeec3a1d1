import type { Condition } from "@holdfast/domain";
import type { Ref, Template } from "./ref.ts";
import { toTemplate } from "./to-template.ts";

/** The value, once known, is this one. Objects and lists are compared by content. */
export const equals = <T>(value: Ref<T>, other: Template<NoInfer<T>>): Condition => ({
  equals: [toTemplate(value), toTemplate(other)],
});

/** The value, once known, is one of these. */
export const isIn = <T>(value: Ref<T>, others: readonly Template<NoInfer<T>>[]): Condition => ({
  in: [toTemplate(value), others.map((other) => toTemplate(other))],
});

/** The value is there and not null; so the output of a skipped step does not exist. */
export const exists = (value: Ref<unknown>): Condition => ({ exists: toTemplate(value) });

export const not = (condition: Condition): Condition => ({ not: condition });

/** All of them hold; of none, too. */
export const and = (...conditions: readonly Condition[]): Condition => ({ and: conditions });

/** At least one of them holds. */
export const or = (...conditions: readonly Condition[]): Condition => ({ or: conditions });
