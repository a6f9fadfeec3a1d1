import type { StepReply } from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";
import { epoch, type Host } from "@holdfast/testing/simulator";
import { type Facts, isOver, short } from "./facts.ts";
import type { MessageReader } from "./message-reader.ts";
import type { World } from "./world.ts";

/** Milliseconds that a message may be under way beyond what its sender counted on. */
const slack = 150;

/** A message, and the process that publishes it. */
interface Published {
  readonly message: OutgoingMessage;
  readonly host: Host;
}

/** Holds a reply against the rules, and notes the outcome. */
export function judgeReply(
  world: World,
  { attempts, needs }: Facts,
  { message, host, read }: Published & { readonly read: MessageReader },
): void {
  const attempt = attempts.get(message.messageId);
  if (attempt === undefined) return;
  const { outcome } = read<StepReply>(message);
  const { now } = world.timeline;
  const need = needs.find(({ from, to }) => from <= now && now < to);
  if (attempt.outcomes.length === 0) attempt.unheardUntil = need?.to ?? null;
  if (need === undefined) attempt.unheardUntil = null;
  attempt.outcomes.push(outcome);
  const isRefusal = outcome.kind === "failed" && outcome.attempted === false;
  // A refusal is what it was acknowledged for; a copy that comes afterwards is held to what is done with it.
  const wasEarly = attempt.acknowledgedEarly.delete(host);
  if (wasEarly && !isRefusal) {
    world.accuse("an Agent acknowledges what it has answered", () => short(message.messageId));
  }
  const code = outcome.kind === "failed" ? ` ${outcome.code}` : "";
  world.tell(host.name, () => `replies to ${short(message.messageId)}: ${outcome.kind}${code}`);
  const taken = attempt.takenBy.get(host);
  const isLate =
    taken !== undefined && isOver(attempt, { takenAt: taken.lastAt, now: world.timeline.now });
  // Whoever has been frozen cannot know how late it is.
  if (isLate && host.awakeSince <= taken.lastAt) {
    world.accuse("an Agent is silent after its deadline", () => short(message.messageId));
  }
}

export function judgeRequest(
  world: World,
  { attempts }: Facts,
  { message, host }: Published,
): void {
  const { accuse } = world;
  world.tell(host.name, () => `asks for ${short(message.messageId)}`);
  const attempt = attempts.get(message.messageId);
  if (attempt === undefined || !message.body.includes(`"token":"${attempt.step.token}"`)) {
    return accuse("only what is claimed is asked for", () => short(message.messageId));
  }
  const { expirationMs = Number.POSITIVE_INFINITY } = message;
  const startBy = attempt.step.startBy - epoch;
  const hasSlept = host.awakeSince > attempt.claimedAt;
  if (!hasSlept && world.timeline.now + expirationMs > startBy + slack) {
    accuse("a request is dropped at its start-by time", () => short(message.messageId));
  }
}
