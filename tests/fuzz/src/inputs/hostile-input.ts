import { diceOf } from "./dice.ts";
import { hostileMessage } from "./hostile-message.ts";
import { hostileRequest } from "./hostile-request.ts";
import type { DecisionContext, HostileInput } from "./input.ts";

/** The input with this number in the run of this seed: the same each time, but for ids of orders. */
export function hostileInput(seed: number, index: number, around: DecisionContext): HostileInput {
  const dice = diceOf(seed, index);
  return dice.random() < 0.45 ? hostileRequest(dice, around) : hostileMessage(dice, around);
}
