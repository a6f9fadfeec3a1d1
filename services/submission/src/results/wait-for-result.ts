import type { Milliseconds } from "@holdfast/domain";
import { onGone } from "@holdfast/runtime/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TaskResource } from "../task-resource.ts";
import type { ResultWaiter } from "./result-waiter.ts";

/** How long a request may wait for a result. */
export const longestWait: Milliseconds = 60_000;
/** The time for the answer, after the wait. */
const grace: Milliseconds = 20_000;

/** Whether there is nothing to wait for: the task has ended, or waits for an operator itself. */
export const isSettled = ({ finishedAt, state }: TaskResource): boolean =>
  finishedAt !== null || state === "halted";

/**
 * Has the request wait until the task has ended or halted, or its time is over. Its connection is
 * kept for as long.
 */
export async function waitForResult(
  waiter: ResultWaiter,
  request: FastifyRequest,
  reply: FastifyReply,
  { taskId, timeout }: { readonly taskId: string; readonly timeout: Milliseconds },
): Promise<void> {
  const { socket } = request.raw;
  const usual = socket.timeout;
  socket.setTimeout(timeout + grace);
  await waiter.wait(taskId, {
    caller: request.server.guard.callerOf(request.raw),
    timeout,
    onGone: (leave) => onGone(request.raw, reply.raw, leave),
  });
  if (usual !== undefined) socket.setTimeout(usual);
}

/** The wait that a client prefers (RFC 7240), at most a minute; null: it does not wait. */
export function preferredWait(prefer: string | string[] | undefined): Milliseconds | null {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})/i.exec([prefer ?? ""].flat().join())?.[1];
  if (seconds === undefined || Number(seconds) === 0) return null;
  return Math.min(Number(seconds) * 1_000, longestWait);
}
