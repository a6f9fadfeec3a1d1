import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { openTestStore, type TestStore } from "../../test/fixtures.ts";
import { openPooler, type PoolerOptions } from "../../test/pooler.ts";
import { openInspector, type StoreInspector } from "./open-inspector.ts";

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const inspect = (url = store.url): StoreInspector =>
  openInspector({ url, applicationName: "test", answerWithin: 2_000 });

describe("a pooler in between", () => {
  test("is not reported if there is none", async () => {
    await using inspector = inspect();
    expect(await inspector.findPooler()).toBe("none");
    expect(await inspector.findKeptOptions()).toBe("kept");
  });

  test.each<readonly [PoolerOptions, string, string]>([
    [{ shared: false, options: "passed on" }, "session", "kept"],
    [{ shared: false, options: "dropped" }, "session", "lost"],
    [{ shared: false, options: "refused" }, "session", "refused"],
    [{ shared: true, options: "dropped" }, "transaction", "lost"],
  ])("%j", async (options, pooler, kept) => {
    await using between = await openPooler(store.url, options);
    await using inspector = inspect(between.url);
    expect(await inspector.findPooler()).toBe(pooler);
    expect(await inspector.findKeptOptions()).toBe(kept);
    expect(await inspector.findServer()).toMatchObject({ isStandby: false });
  });
});

test("the inspector finds a transaction that stays open, and its owner", async () => {
  await using inspector = inspect();
  const holder = new Client({ connectionString: store.url, application_name: "forgetful" });
  await holder.connect();
  await holder.query("begin");
  await holder.query("select 1");
  const held = await inspector.findHolders({ longerThan: 0, furtherThan: 1_000_000 });
  await holder.end();
  expect(held.filter(({ detail }) => detail?.startsWith("forgetful"))).toEqual([
    {
      kind: "session",
      name: expect.stringMatching(/^\d+$/),
      detail: expect.stringContaining("idle in transaction"),
      openFor: expect.any(Number),
    },
  ]);
});

test("the server ends an inspector's query that takes too long", async () => {
  await using inspector = openInspector({
    url: store.url,
    applicationName: "test",
    answerWithin: 300,
  });
  const holder = new Client({ connectionString: store.url });
  await holder.connect();
  await holder.query("begin; lock table state.workflows");
  await expect(inspector.findAgentDemands()).rejects.toMatchObject({
    details: { sqlstate: "57014" },
  });
  await holder.end();
});
