import type { Asked } from "../submit-task.ts";
import type { AnonymousWish } from "./access.ts";

/** From here on a beginning is late: for as long a business key can be held by a task that has not begun. */
const late = 30 * 24 * 60 * 60 * 1_000;

/** What a submission asks for that not everyone may. A value that is wrong asks for nothing: it is refused by itself. */
export function wishesIn(
  asked: Pick<
    Asked,
    "priority" | "fairnessWeight" | "replyTo" | "allowsUnknownAgents" | "notBefore"
  >,
): readonly AnonymousWish[] {
  const { priority, fairnessWeight, replyTo, allowsUnknownAgents, notBefore } = asked;
  const wishes: AnonymousWish[] = [];
  if (priority === "urgent") wishes.push("urgent");
  if (fairnessWeight !== undefined && Number(fairnessWeight) > 1) wishes.push("weight");
  if (replyTo !== undefined) wishes.push("reply-to");
  if (allowsUnknownAgents) wishes.push("unknown-agents");
  if (typeof notBefore === "string" && Date.parse(notBefore) > Date.now() + late) {
    wishes.push("later");
  }
  return wishes;
}
