import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { openTestStore, shopping, type TestStore } from "../../test/fixtures.ts";
import { runCommand } from "../../test/run-command.ts";
import { byHand, taskStates, verify, verifyAsJson } from "../../test/verify.ts";

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});

afterEach(() =>
  store.query(
    "truncate state.tasks, state.steps, state.task_payloads, state.step_payloads, state.events, state.alerts, state.rejected_replies",
  ),
);
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

describe("finds nothing in a store that is right", () => {
  test.each(Object.keys(taskStates))("%s", async (state) => {
    await taskStates[state]!(store);
    expect(await verifyAsJson(store)).toEqual({
      at: expect.any(String),
      exitCode: 0,
      ok: true,
      tasks: 1,
      violations: [],
      complete: true,
    });
  });

  test("and prints so in a sentence", async () => {
    await store.submit();
    const { stdout, exitCode } = await verify(store);
    expect({ stdout, exitCode }).toEqual({
      stdout: "1 task looked at: all that must hold does.\n",
      exitCode: 0,
    });
  });
});

test("a task whose definition cannot be used is reported until the definition has been restored", async () => {
  const taskId = await store.submit();
  await byHand(store, "update state.workflows set definition = '{\"steps\": 5}'");
  const { violations, exitCode } = await verifyAsJson(store);
  expect(exitCode).toBe(1);
  expect(violations).toMatchObject([
    {
      rule: "an unfinished task can be decided about",
      taskId,
      sentence: expect.stringContaining("steps must be array"),
    },
  ]);
  await byHand(store, `update state.workflows set definition = '${JSON.stringify(shopping)}'`);
  expect(await verifyAsJson(store)).toMatchObject({ violations: [], exitCode: 0 });
});

/** Runs `verify` with another URL. */
const at = (change: (url: URL) => void) => {
  const url = new URL(store.url);
  change(url);
  return runCommand(["verify", "--state-store-url", url.href], {});
};

describe("cannot look, and says what to do", () => {
  test.each<readonly [string, (url: URL) => void, string, number]>([
    ["no server listens", (url) => Object.assign(url, { port: "1" }), "is it running", 69],
    [
      "the database is another",
      (url) => Object.assign(url, { pathname: "/postgres" }),
      "migrations",
      1,
    ],
    [
      "there is none",
      (url) => Object.assign(url, { pathname: "/nowhere" }),
      "database does not exist",
      3,
    ],
    [
      "the role may not",
      (url) => url.searchParams.set("options", "-c role=holdfast_supervisor"),
      "grant holdfast_observer",
      5,
    ],
  ])("%s", async (_, change, advice, exitCode) => {
    expect(await at(change)).toMatchObject({
      exitCode,
      stdout: "",
      stderr: expect.stringContaining(advice),
    });
  });

  test("while an observer may", async () => {
    await store.submit();
    const { stdout } = await at((url) =>
      url.searchParams.set("options", "-c role=holdfast_observer"),
    );
    expect(stdout).toContain("1 task looked at");
  });
});
