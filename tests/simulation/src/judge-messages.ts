import {
  replyExchange,
  replyQueues,
  StepProgress,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";
import type { BrokerWatcher, Message, PublishWatcher } from "@holdfast/testing/simulator";
import { type AttemptFacts, attemptId, type Facts, isAtWork, isCall, short } from "./facts.ts";
import { judgeAgentAck, judgeSchedulerAck } from "./judge-acknowledged.ts";
import { judgeReply, judgeRequest } from "./judge-published.ts";
import { type AttemptMessage, messageReader } from "./message-reader.ts";
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

/** Judges that an Agent does not begin the undo of a step without an answer while another Agent is at work on it. */
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
