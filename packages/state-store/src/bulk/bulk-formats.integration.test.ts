import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { bulkFixture } from "../../test/bulk.ts";

const { at, open, close, clear, apply, create, halted, outcomes } = bulkFixture();
beforeAll(open);
afterAll(close);
beforeEach(clear);

describe("a bulk operation", () => {
  test("passes over tasks that only a newer release can read, and applies those after them", async () => {
    const [newer] = await halted(3);
    const inFormat = (format: number) =>
      at().db.query(
        `set session_replication_role = replica;
         update state.tasks set format = ${format} where task_id = '${newer}';
         reset session_replication_role`,
      );
    await inFormat(99);
    const id = await create();
    const first = await apply(id, 1);
    expect(first).toMatchObject({ applied: 0, refused: 0, state: "running" });
    const second = await apply(id, 50, first.next!);
    expect(second).toMatchObject({ applied: 2 });
    expect(await outcomes(id)).toEqual(["waiting", "applied", "applied"]);
    expect(await apply(id, 50, second.next!)).toMatchObject({ applied: 0, next: null });
    // A Supervisor of that release goes on.
    await inFormat(1);
    expect(await apply(id)).toMatchObject({ applied: 1, state: "verifying" });
  });
});
