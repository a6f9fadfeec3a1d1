import {
  expiredQueue,
  replyExchange,
  replyQueues,
  StepProgress,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { agentOf } from "@holdfast/domain";
import type { OutgoingMessage } from "@holdfast/messaging";
import {
  type BrokerWatcher,
  epoch,
  type Host,
  type Message,
  type PublishWatcher,
} from "@holdfast/testing/simulator";
import {
  type AttemptFacts,
  attemptId,
  type Facts,
  isAtWork,
  isCall,
  isOver,
  short,
} from "./facts.ts";
import { type AttemptMessage, type MessageReader, messageReader } from "./message-reader.ts";
import type { World } from "./world.ts";

/** Sees messages at both ends as well. */
export interface MessageJudge extends BrokerWatcher, PublishWatcher {}

/** Holds what is sent, and what is acknowledged, against the rules. */
export function judgeMessages(world: World, facts: Facts): MessageJudge {
  const { attempts } = facts;
  const read = messageReader();

  const attemptOfRequest = ({ type, messageId }: OutgoingMessage): AttemptFacts | undefined =>
    type === StepRequest.type ? attempts.get(messageId) : undefined;

  const signs = judgeSigns(world, facts, read);

  return {
    publishing(message, host) {
      if (message.type === StepProgress.type) signs.published(message, host.name);
      if (message.exchange === replyExchange) {
        judgeReply(world, facts, { message, host, read });
      } else if (message.type === StepRequest.type) judgeRequest(world, facts, { message, host });
    },
    confirmed(message) {
      if (message.type === StepProgress.type) signs.confirmed(message);
      const attempt = attemptOfRequest(message);
      if (attempt !== undefined) attempt.isConfirmed = true;
    },
    stored(message) {
      const attempt = attemptOfRequest(message);
      if (attempt !== undefined) attempt.isStored = true;
    },
    waiting({ queue, type, messageId }, isWaiting) {
      const isReply = type === StepReply.type && replyQueues.includes(queue);
      const attempt = isReply ? attempts.get(messageId) : undefined;
      if (attempt !== undefined) attempt.isAnswerWaiting = isWaiting;
    },
    taken(message, host) {
      if (host.role !== "agent") return;
      judgeUndo(world, facts, { message, ...read<AttemptMessage>(message) });
      const attempt = attempts.get(message.messageId);
      const taken = attempt?.takenBy.get(host);
      const { now } = world.timeline;
      if (taken === undefined) {
        attempt?.takenBy.set(host, { firstAt: now, lastAt: now, copies: 1 });
      } else {
        taken.lastAt = now;
        taken.copies += 1;
      }
    },
    acknowledged(message, host) {
      if (host.role === "agent") judgeAgentAck(world, facts, { message, host });
      else if (message.type === StepProgress.type) signs.recorded(message);
      else judgeSchedulerAck(world, facts, { message, read });
    },
  };
}

/** Notes what Agents say of attempts, and what of it Schedulers have recorded. */
function judgeSigns(world: World, { attempts }: Facts, read: ReturnType<typeof messageReader>) {
  const sentAt = new Map<Buffer, number>();
  const signsOf = (message: Pick<OutgoingMessage, "body">) =>
    read<StepProgress>(message).attempts.map(({ taskId, step, attempt, ...sign }) => ({
      ...sign,
      facts: attempts.get(attemptId(taskId, step, attempt)),
    }));
  return {
    published(message: OutgoingMessage, agent: string): void {
      const at = world.timeline.now;
      sentAt.set(message.body, at);
      world.tell(agent, () => `is at work on ${short(message.messageId)}`);
      for (const { facts, runningMs } of signsOf(message)) facts?.signs.push({ at, runningMs });
    },
    confirmed(message: OutgoingMessage): void {
      const at = sentAt.get(message.body) ?? Number.NEGATIVE_INFINITY;
      for (const { facts, heartbeat } of signsOf(message)) {
        if (facts !== undefined && heartbeat !== undefined) {
          facts.confirmedBeatAt = Math.max(facts.confirmedBeatAt, at);
        }
      }
    },
    recorded(message: Message): void {
      const at = sentAt.get(message.body) ?? Number.NEGATIVE_INFINITY;
      for (const { facts, heartbeat } of signsOf(message)) {
        if (facts !== undefined && heartbeat !== undefined) {
          facts.lastBeatAt = Math.max(facts.lastBeatAt, at);
        }
      }
    },
  };
}

/**
 * Judges that an Agent does not begin the undo of a step without an answer while another Agent is
 * at work on it.
 */
function judgeUndo(
  world: World,
  { tasks, attempts }: Facts,
  { message, taskId, step: undo }: AttemptMessage & { readonly message: Message },
): void {
  const step = undo.replace(":undo", "");
  const known = tasks.get(taskId)?.steps.get(step);
  if (isCall(undo) || known === undefined) return;
  const attempt = attempts.get(attemptId(taskId, step, known.attempt));
  if (attempt === undefined || !isAtWork(attempt, world)) return;
  world.accuse("nothing is undone while an Agent does it", () => short(message.messageId));
}

/** Holds an Agent against what it has answered. */
function judgeAgentAck(
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
function judgeSchedulerAck(world: World, facts: Facts, acknowledged: Acknowledged): void {
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
  const isInDoubt = facts.isResent || (isCall(step) && tasks.get(taskId)?.goal === "undo");
  if (message.queue === expiredQueue && isInDoubt) return false;
  return known.state === "processing" && known.attempt === attempt;
}

/** Milliseconds that a message may be under way beyond what its sender counted on. */
const slack = 150;

/** A message, and the process that publishes it. */
interface Published {
  readonly message: OutgoingMessage;
  readonly host: Host;
}

/** Holds a reply against the rules, and notes the outcome. */
function judgeReply(
  world: World,
  { attempts, needs }: Facts,
  { message, host, read }: Published & { readonly read: MessageReader },
): void {
  const attempt = attempts.get(message.messageId);
  if (attempt === undefined) return;
  const { outcome } = read<StepReply>(message);
  const { now } = world.timeline;
  const need = needs.find(({ from, to }) => from <= now && now < to);
  if (attempt.outcomes.length === 0) attempt.unansweredUntil = need?.to ?? null;
  if (need === undefined) attempt.unansweredUntil = null;
  attempt.outcomes.push(outcome);
  const isRefusal = outcome.kind === "failed" && outcome.attempted === false;
  // A refusal is what it was acknowledged for; a copy that comes afterwards is held to what is done
  // with it.
  const wasEarly = attempt.acknowledgedEarly.delete(host);
  if (wasEarly && !isRefusal) {
    world.accuse("an Agent acknowledges what it has answered", () => short(message.messageId));
  }
  const code = outcome.kind === "failed" ? ` ${outcome.code}` : "";
  world.tell(host.name, () => `replies to ${short(message.messageId)}: ${outcome.kind}${code}`);
  const taken = attempt.takenBy.get(host);
  const isLate =
    taken !== undefined && isOver(attempt, { takenAt: taken.lastAt, now: world.timeline.now });
  // A process that was frozen cannot know how late it is.
  if (isLate && host.awakeSince <= taken.lastAt) {
    world.accuse("an Agent is silent after its deadline", () => short(message.messageId));
  }
}

function judgeRequest(world: World, { attempts }: Facts, { message, host }: Published): void {
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
