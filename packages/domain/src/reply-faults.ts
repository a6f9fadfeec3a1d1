import type { FaultCode } from "./fault-codes.ts";

/** What is wrong with a reply or with the output in it, as Holdfast finds it: the work may be done all the same. */
export const replyFaults: ReadonlySet<string> = new Set<FaultCode>([
  "step.output_invalid",
  "step.output_too_costly",
  "step.output_unstorable",
  "step.reply_invalid",
]);
