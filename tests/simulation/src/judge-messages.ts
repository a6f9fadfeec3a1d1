import {
  expiredQueue,
  replyExchange,
  replyQueues,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";
import {
  type BrokerWatcher,
  epoch,
  type Host,
  type Message,
  type PublishWatcher,
} from "@holdfast/testing/simulator";
import { type AttemptFacts, attemptId, type Facts, isAtWork, short } from "./facts.ts";
import type { World } from "./world.ts";

/** Milliseconds that a message may be under way beyond what its sender counted on. */
const slack = 150;

/** Sees messages at both ends as well. */
export interface MessageJudge extends BrokerWatcher, PublishWatcher {}

const isCall = (step: string): boolean => !step.includes(":");

/** What requests, replies and returned requests have in common. */
interface AttemptMessage {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly token: string;
}

/** Holds what is sent, and what is acknowledged, against the rules. */
export function judgeMessages(world: World, { tasks, attempts }: Facts): MessageJudge {
  const { accuse } = world;
  const bodies = new Map<Buffer, unknown>();

  /** Each body is looked at several times, and read once. */
  const read = <Body>({ body }: OutgoingMessage): Body => {
    const known = bodies.get(body) ?? JSON.parse(body.toString());
    bodies.set(body, known);
    return known as Body;
  };

  const checkReply = (message: OutgoingMessage, host: Host): void => {
    const attempt = attempts.get(message.messageId);
    if (attempt === undefined) return;
    const { outcome } = read<StepReply>(message);
    attempt.outcomes.push(outcome);
    const code = outcome.kind === "failed" ? ` ${outcome.code}` : "";
    world.tell(host.name, () => `replies to ${short(message.messageId)}: ${outcome.kind}${code}`);
    const taken = attempt.takenBy.get(host);
    const isLate = taken !== undefined && isOver(attempt, taken.lastAt);
    // Whoever has been frozen cannot know how late it is.
    if (isLate && host.awakeSince <= taken.lastAt) {
      accuse("an Agent is silent after its deadline", () => short(message.messageId));
    }
  };

  const isOver = ({ step }: AttemptFacts, takenAt: number): boolean =>
    world.timeline.now > takenAt + step.plan.completeWithin;

  const checkRequest = (message: OutgoingMessage, host: Host): void => {
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
  };

  const attemptOfRequest = ({ type, messageId }: OutgoingMessage): AttemptFacts | undefined =>
    type === StepRequest.type ? attempts.get(messageId) : undefined;

  /** Whether the store would still move on by it. */
  const isAwaited = (message: Message): boolean => {
    const { taskId, step, attempt, token } = read<AttemptMessage>(message);
    const facts = attempts.get(attemptId(taskId, step, attempt));
    const known = tasks.get(taskId)?.steps.get(step);
    if (facts === undefined || facts.step.token !== token || known === undefined) return false;
    // Of these another copy may be at work, so nothing follows from one that came back.
    const isInDoubt = facts.isRelayed || (isCall(step) && tasks.get(taskId)?.goal === "undo");
    if (message.queue === expiredQueue && isInDoubt) return false;
    return known.state === "processing" && known.attempt === attempt;
  };

  const isGenuine = ({ queue, type, userId, routingKey, messageId }: Message): boolean => {
    if (!replyQueues.includes(queue)) return true;
    const agent = attempts.get(messageId)?.step.plan.agent;
    return type === StepReply.type && userId !== undefined && routingKey.split(".")[1] === agent;
  };

  const checkAgentAck = (message: Message, host: Host): void => {
    const attempt = attempts.get(message.messageId);
    const taken = attempt?.takenBy.get(host);
    if (attempt === undefined || taken === undefined) return;
    taken.copies -= 1;
    if (world.otherReleases.has(host)) return;
    const isInHand = taken.copies > 0;
    if (attempt.outcomes.length > 0 || isInHand || isOver(attempt, taken.firstAt - 1)) return;
    accuse("an Agent acknowledges what it has answered", () => short(message.messageId));
  };

  /** Of a step that nobody has answered for, an Agent must not begin the undo while another is at work on it. */
  const checkUndo = (message: Message): void => {
    const { taskId, step: undo } = read<AttemptMessage>(message);
    const step = undo.replace(":undo", "");
    const known = tasks.get(taskId)?.steps.get(step);
    if (isCall(undo) || known === undefined) return;
    const attempt = attempts.get(attemptId(taskId, step, known.attempt));
    if (attempt === undefined || !isAtWork(attempt, world)) return;
    accuse("nothing is undone while an Agent does it", () => short(message.messageId));
  };

  return {
    publishing(message, host) {
      if (message.exchange === replyExchange) checkReply(message, host);
      else if (message.type === StepRequest.type) checkRequest(message, host);
    },
    confirmed(message) {
      const attempt = attemptOfRequest(message);
      if (attempt !== undefined) attempt.isConfirmed = true;
    },
    stored(message) {
      const attempt = attemptOfRequest(message);
      if (attempt !== undefined) attempt.isStored = true;
    },
    taken(message, host) {
      if (host.role !== "agent") return;
      checkUndo(message);
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
      if (host.role === "agent") return checkAgentAck(message, host);
      if (![...replyQueues, expiredQueue].includes(message.queue)) return;
      if (isGenuine(message) && isAwaited(message)) {
        accuse("nothing is acknowledged before it is saved", () => short(message.messageId));
      }
    },
  };
}
