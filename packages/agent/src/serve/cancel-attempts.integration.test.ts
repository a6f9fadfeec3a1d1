import { randomUUID } from "node:crypto";
import { cancelExchange } from "@holdfast/contracts";
import { cancelHints } from "@holdfast/messaging";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { request } from "../../test/fixtures.ts";
import {
  answerOf,
  type Charge,
  mailbox,
  openTestedAgent,
  type TestedAgent,
} from "../../test/serving.ts";
import { cancelAttempts } from "./cancel-attempts.ts";

let tested: TestedAgent;

beforeEach(async () => {
  tested = await openTestedAgent();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

test("a cancel hint aborts only the handler of its own attempt, within milliseconds", async () => {
  const begun = mailbox<number>();
  const charge: Charge = (_, { attempt, signal }) => {
    begun.put(attempt);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  };
  const { broker, served } = await tested.serve({ charge });
  const silent = { warn: () => {} };
  tested.parts.use(await broker.listen(cancelExchange, cancelAttempts([served], silent)));
  const asked = request();
  await tested.ask(asked);
  await begun.take();
  expect(served.health()).toEqual({ breaker: "closed", openForMs: 0, inFlight: 1, busy: 1 });

  cancelHints(tested.scheduler)([{ ...asked, token: randomUUID() }, asked]);
  expect(answerOf(await tested.replies.take())).toMatchObject({
    taskId: asked.taskId,
    outcome: { kind: "stopped", effect: "unknown" },
  });
});
