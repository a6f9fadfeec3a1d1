import { judgeAnswers, pushOrders } from "@holdfast/load";
import { asRole, startService, theShop } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { residentMemory, watchSubmission } from "./watch-submission.ts";

test("under overload orders are answered 202 or 503, each that was accepted is there once, and memory is level", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  await using submission = await startService({
    service: "submission",
    env: {
      STATE_STORE_URL: asRole(database.url, "holdfast_submission"),
      STATE_STORE_CONNECTIONS: "2",
      BROKER_URL: broker.url,
      HTTP_HOST: "127.0.0.1",
      HTTP_PORT: "0",
      MAX_WAITING_TASKS: "20",
      ...theShop,
    },
  });
  const { pid } = submission;
  const url = String(submission.ready["url"]);
  const first = await pushOrders({ url, connections: 10, load: { seconds: 2 }, rate: null });
  const memoryBefore = residentMemory(pid);
  const [pushed, seen] = await watchSubmission({ url, pid }, () =>
    pushOrders({ url, connections: 150, load: { seconds: 4 }, rate: null }),
  );
  expect(pushed.others).toEqual({});
  expect(pushed.broken).toBe(0);
  expect(pushed.accepted.length).toBeGreaterThan(0);
  expect(pushed.refused.length).toBeGreaterThan(0);
  expect(seen.failedProbes).toBe(0);
  expect(seen.mostMemory).toBeLessThan(memoryBefore + 150);
  expect(await judgeAnswers(database.url, [first, pushed])).toEqual({
    missing: 0,
    refusedButWritten: 0,
    surplus: 0,
  });
});
