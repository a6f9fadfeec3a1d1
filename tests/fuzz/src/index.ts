export { diceOf } from "./inputs/dice.ts";
export { hostileInput, type InputClassName, inputClassNames } from "./inputs/hostile-input.ts";
export type { DecisionContext, HostileInput } from "./inputs/input.ts";
export { runFuzz } from "./run-fuzz.ts";
export { openMessageSender } from "./send/send-messages.ts";
export { openRequestSender } from "./send/send-requests.ts";
