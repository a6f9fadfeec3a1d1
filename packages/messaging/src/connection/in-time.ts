import type { Milliseconds } from "@holdfast/domain";

/**
 * Rejects with `reason` once that has taken too long. The call goes on, and its outcome is dropped.
 */
export async function inTime<Answer>(
  answer: Promise<Answer>,
  within: Milliseconds,
  reason: string,
): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(reason)), within);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The time after which an answer for one queue is missed: much more than a busy broker needs. */
export const queueAnswersWithin: Milliseconds = 10_000;

/**
 * Limits the wait for a queue without a leader: the broker takes each request and never answers,
 * while other queues answer. The error names the queue.
 */
export const ofQueue = <Answer>(queue: string, answer: Promise<Answer>): Promise<Answer> =>
  inTime(
    answer,
    queueAnswersWithin,
    `RabbitMQ does not answer for the queue ${queue}: it may have no leader; "holdfast doctor" says what to do`,
  );

/**
 * Bounds the wait for an answer about an exchange: while the nodes of a cluster do not agree about
 * who is alive, one may leave such a question unanswered.
 */
export const ofExchange = <Answer>(exchange: string, answer: Promise<Answer>): Promise<Answer> =>
  inTime(
    answer,
    queueAnswersWithin,
    `RabbitMQ does not answer for the exchange ${exchange}: its nodes may have lost one another`,
  );
