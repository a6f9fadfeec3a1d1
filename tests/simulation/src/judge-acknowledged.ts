import { expiredQueue, replyQueues, StepReply } from "@holdfast/contracts";
import { agentOf } from "@holdfast/domain";
import type { Host, Message } from "@holdfast/testing/simulator";
import { attemptId, type Facts, isCall, isOver, short } from "./facts.ts";
import type { AttemptMessage, MessageReader } from "./message-reader.ts";
import type { World } from "./world.ts";

/** Holds an Agent against what it has answered. */
export function judgeAgentAck(
  world: World,
  { attempts }: Facts,
  { message, host }: { readonly message: Message; readonly host: Host },
): void {
  const attempt = attempts.get(message.messageId);
  const taken = attempt?.takenBy.get(host);
  if (attempt === undefined || taken === undefined) return;
  taken.copies -= 1;
  if (world.otherReleases.has(host)) return;
  const isInHand = taken.copies > 0;
  if (attempt.outcomes.length > 0 || isInHand) return;
  if (isOver(attempt, { takenAt: taken.firstAt - 1, now: world.timeline.now })) return;
  attempt.acknowledgedEarly.add(host);
}

interface Acknowledged {
  readonly message: Message;
  readonly read: MessageReader;
}

/** Holds a Scheduler against what it has saved. */
export function judgeSchedulerAck(world: World, facts: Facts, acknowledged: Acknowledged): void {
  const { message } = acknowledged;
  if (![...replyQueues, expiredQueue].includes(message.queue)) return;
  if (isGenuine(facts, message) && isAwaited(facts, acknowledged)) {
    world.accuse("nothing is acknowledged before it is saved", () => short(message.messageId));
  }
}

function isGenuine(
  { attempts }: Facts,
  { queue, type, userId, routingKey, messageId }: Message,
): boolean {
  if (!replyQueues.includes(queue)) return true;
  const step = attempts.get(messageId)?.step;
  const agent = step && agentOf(step);
  return type === StepReply.type && userId !== undefined && routingKey.split(".")[1] === agent;
}

/** Whether the store would still move on by it. */
function isAwaited({ tasks, attempts }: Facts, { message, read }: Acknowledged): boolean {
  const { taskId, step, attempt, token } = read<AttemptMessage>(message);
  const facts = attempts.get(attemptId(taskId, step, attempt));
  const known = tasks.get(taskId)?.steps.get(step);
  if (facts === undefined || facts.step.token !== token || known === undefined) return false;
  // Of these another copy may be at work, so nothing follows from one that came back.
  const isInDoubt = facts.isRelayed || (isCall(step) && tasks.get(taskId)?.goal === "undo");
  if (message.queue === expiredQueue && isInDoubt) return false;
  return known.state === "processing" && known.attempt === attempt;
}
