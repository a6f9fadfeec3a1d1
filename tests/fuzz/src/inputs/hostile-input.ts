import { type Dice, diceOf } from "./dice.ts";
import { hostileMessage } from "./hostile-message.ts";
import { hostileRequest } from "./hostile-request.ts";
import { hostileSchemaInput } from "./hostile-schema-input.ts";
import type { DecisionContext, HostileInput } from "./input.ts";
import { inputClasses } from "./input-classes.ts";

/** What an input is hostile by, with how often each class comes beside the others. */
const weights = { damaged: 10, deep: 3, large: 2, times: 3, schemas: 3 } as const;
export type InputClassName = keyof typeof weights;
export const inputClassNames = Object.keys(weights) as readonly InputClassName[];

/**
 * The input with this number in the run of this seed: the same each time, but for ids of orders. Of
 * the classes that are named, or of any.
 */
export function hostileInput(
  seed: number,
  index: number,
  {
    classes = inputClassNames,
    ...around
  }: DecisionContext & { readonly classes?: readonly InputClassName[] },
): HostileInput & { readonly inputClass: InputClassName } {
  const dice = diceOf(seed, index);
  const lots = classes.flatMap((name) => Array.from({ length: weights[name] }, () => name));
  const inputClass = dice.pick(lots);
  return { ...inputOf(inputClass, dice, around), inputClass };
}

function inputOf(name: InputClassName, dice: Dice, around: DecisionContext): HostileInput {
  if (name === "schemas") return hostileSchemaInput(dice, around);
  const inputClass = inputClasses[name];
  return dice.random() < 0.45
    ? hostileRequest(dice, around, inputClass)
    : hostileMessage(dice, around, inputClass);
}
