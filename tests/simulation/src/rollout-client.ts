import type { Host } from "@holdfast/testing/simulator";
import type { VersionJudge } from "./judge-versions.ts";
import type { Order } from "./scenario.ts";
import type { Answer, SubmissionFront } from "./submission-front.ts";

interface Options {
  readonly front: SubmissionFront;
  readonly judge: VersionJudge;
}

/** Milliseconds until a request without an answer is sent again. */
const retryAfter = 40;

/** Sends an order until it is answered, maybe once more later, and has the judge know of the answers. */
export async function sendOrder(host: Host, order: Order, options: Options): Promise<void> {
  const { kind } = await askFor(host, order, options);
  const repeatedAfter = order.asked?.repeatedAfter ?? null;
  if (kind !== "accepted" || repeatedAfter === null) return;
  await pause(host, repeatedAfter);
  await askFor(host, order, options);
}

async function askFor(host: Host, order: Order, { front, judge }: Options): Promise<Answer> {
  for (;;) {
    const since = judge.mark();
    const answer = await front.submit(host, order);
    if (answer.kind === "accepted") judge.accepted(order, answer.taskId);
    if (answer.kind === "refused") judge.refused(order, { code: answer.code, since });
    if (answer.kind !== "unknown") return answer;
    await pause(host, retryAfter);
  }
}

export function pause(host: Host, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.clock.after(ms, resolve);
  return promise;
}
