import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { openTestStore } from "../../test/fixtures.ts";

test("refused replies of one batch are each kept with the bytes that came", async () => {
  await using db = await openTestStore();
  const store = await db.open("scheduler");
  const bodies = [
    Buffer.from([0, 255, 92, 34]),
    Buffer.alloc(0),
    randomBytes(100_000),
    Buffer.from("é"),
  ];
  const replies = bodies.map((body, index) => ({
    taskId: randomUUID(),
    step: `s${index}`,
    attempt: 1,
    reason: "not_processing",
    sender: index === 0 ? null : "agents",
    body,
  }));
  await store.recordRejectedReplies(replies);
  const kept = await db.query<{ step: string; body: Buffer; sender: string | null }>(
    "select step, body, sender from state.rejected_replies order by id",
  );
  expect(kept).toEqual(replies.map(({ step, body, sender }) => ({ step, body, sender })));
});
