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
  const silent = { warn: () => {}, error: () => {} };
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

test("an Agent logs that its reply was refused, and where it is wrong, and another Agent does not", async () => {
  const logged = mailbox<object>();
  const { broker, served } = await tested.serve({ charge: async () => ({ chargeId: "c" }) });
  const log = { warn: () => {}, error: (fields: object) => logged.put(fields) } as never;
  tested.parts.use(await broker.listen(cancelExchange, cancelAttempts([served], log)));
  const { taskId, step, attempt, token } = request();
  const refused = { code: "step.reply_invalid", reason: "/outcome/kind must be one of …" };
  const refuse = (agent: string) =>
    cancelHints(tested.scheduler)([
      { taskId, step, attempt, token, refused: { agent, ...refused } },
    ]);
  refuse("another");
  refuse(served.name);
  expect(await logged.take()).toEqual({ taskId, step, attempt, agent: served.name, ...refused });
});
