import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleOrder } from "@holdfast/orders";
import { operatorToken, type System, startSystem } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { connect as open, reads, type Session, taskIn } from "./session.ts";

const owned = new AsyncDisposableStack();
let system: System;
beforeAll(async () => {
  const database = owned.use(await migratedDatabase());
  const broker = owned.use(await testBroker());
  const dataFolder = await mkdtemp(join(tmpdir(), "holdfast-mcp-"));
  owned.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const both = { ROLE: "all", OPERATOR_TOKEN: operatorToken, STATE_STORE_URL: database.url };
  system = owned.use(
    await startSystem({
      stateStoreUrl: database.url,
      broker,
      dataFolder,
      env: { submission: both },
    }),
  );
});
afterAll(() => owned.disposeAsync());

const writes = ["submit_task", "resubmit", "cancel_task", "fire_wait", "send_signal"];
const connect = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  open(system.submissionUrl, args, env);
const request = { actor: "ann", reason: "a test" };

describe("over standard input and output", () => {
  test("only tools that read are offered unless writes are allowed", async () => {
    await using careful = await connect();
    expect((await careful.tools()).map(({ name }) => name)).toEqual(reads);
    const refused = await careful.call("submit_task", { workflow: "fulfil-order", input: {} });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("not found") });
    await using bold = await connect(["--allow-writes"]);
    const tools = await bold.tools();
    expect(tools.map(({ name }) => name)).toEqual([...reads, ...writes]);
    for (const { name, annotations, description } of tools) {
      expect([name, annotations]).toEqual([
        name,
        { readOnlyHint: reads.includes(name), destructiveHint: writes.includes(name) },
      ]);
      expect(description?.length).toBeGreaterThan(30);
    }
  });

  test("a task is submitted once for one input, followed, explained and undone", async () => {
    await using session = await connect(["--allow-writes"]);
    const order = { workflow: "fulfil-order", input: sampleOrder({ kind: "good", seed: 1 }) };
    const first = await session.call("submit_task", order);
    const second = await session.call("submit_task", order);
    expect(first.isError).toBe(false);
    expect(second.json["id"]).toBe(first.json["id"]);
    const { id } = first.json;
    const done = await taskIn(session, id, "processed");
    expect(done.json["steps"]).toHaveLength(5);
    const { json } = await session.call("get_task", { id, history: true });
    expect((json["history"] as readonly unknown[]).length).toBeGreaterThan(10);
    expect((await session.call("why", { id })).json["sentence"]).toMatch(/^It was processed at/);
    const tooLate = await session.call("cancel_task", { id, ...request, dryRun: false });
    expect(tooLate).toMatchObject({ isError: true, json: { code: expect.any(String) } });
  });

  test("what failed is found, explained, and changed only when it is no dry run", async () => {
    await using session = await connect(["--allow-writes"]);
    const { definition } = (await session.call("show_workflow", { name: "fulfil-order.v1" }))
      .json as {
      readonly definition: { readonly steps: readonly { readonly name: string }[] };
    };
    expect(definition.steps.map(({ name }) => name)).toContain("charge");
    const halting = await haltingTask(session);
    const { json } = await session.call("list_failures");
    expect(json["failures"]).toContainEqual(
      expect.objectContaining({ workflow: "halts.v1", tasks: 1, ids: [halting] }),
    );
    const explained = await session.call("why", { id: halting });
    expect(explained.json["sentence"]).toMatch(
      /^It halted with .* at step send of Agent notifications/,
    );
    const plan = await session.call("resubmit", { id: halting, ...request });
    expect(plan.json).toMatchObject({
      dryRun: true,
      would: expect.stringContaining("attempt 2 of step send"),
    });
    const undo = await session.call("cancel_task", { id: halting, ...request });
    expect(undo.json).toMatchObject({ dryRun: true });
    expect((await session.call("get_task", { id: halting })).json["state"]).toBe("halted");
    const undone = await session.call("cancel_task", { id: halting, ...request, dryRun: false });
    expect(undone.isError).toBe(false);
    await taskIn(session, halting, "undone");
    const counted = await session.call("count_tasks", { workflow: "halts" });
    expect(counted.json).toMatchObject({
      tasks: 1,
      isExact: true,
      counts: [{ workflow: "halts.v1", state: "undone", tasks: 1 }],
    });
  });

  test("a wait is explained, and ended only when it is no dry run", async () => {
    await using session = await connect(["--allow-writes"]);
    const id = await waitingTask(session);
    const explained = await session.call("why", { id });
    expect(explained.json["sentence"]).toMatch(
      /^It waits until .*: step rest\. Nothing is wrong\.$/,
    );
    const wait = { id, step: "rest", ...request };
    const plan = await session.call("fire_wait", wait);
    expect(plan.json).toMatchObject({
      dryRun: true,
      would: expect.stringMatching(/^end the wait of step rest, which ends by itself at 2/),
    });
    expect((await session.call("get_task", { id })).json["state"]).toBe("processing");
    expect((await session.call("fire_wait", { ...wait, dryRun: false })).isError).toBe(false);
    await taskIn(session, id, "processed");
    const late = await session.call("fire_wait", { ...wait, dryRun: false });
    expect(late).toMatchObject({ isError: true, json: { code: "task.not_awaiting" } });
  });

  test("a signal is sent only when it is no dry run, and is one for the same payload", async () => {
    await using session = await connect(["--allow-writes"]);
    const id = await taskThatAwaitsPayment(session);
    const signal = { id, name: "paid", payload: { paymentId: "P-1" }, actor: "ann" };
    const plan = await session.call("send_signal", signal);
    expect(plan.json["would"]).toBe("send the signal paid, which payment waits for");
    expect((await session.call("get_task", { id })).json["state"]).toBe("processing");
    const broken = await session.call("send_signal", { ...signal, payload: {}, dryRun: false });
    expect(broken).toMatchObject({ isError: true, json: { code: "signal.invalid" } });
    const first = await session.call("send_signal", { ...signal, dryRun: false });
    await taskIn(session, id, "processed");
    const again = await session.call("send_signal", { ...signal, dryRun: false });
    expect(again.json).toEqual({ ...first.json, replayed: true });
  });

  test("the tools about the system answer with what there is", async () => {
    await using session = await connect();
    const listed = async (name: string, input = {}) =>
      ((await session.call(name, input)).json["items"] as readonly { readonly name: string }[]).map(
        (item) => item.name,
      );
    expect(await listed("list_workflows")).toContain("fulfil-order.v1");
    expect((await session.call("list_workflows")).remarks).toEqual([
      expect.stringContaining("written by others"),
    ]);
    expect(await listed("list_agents")).toEqual(expect.arrayContaining(["payments", "shipping"]));
    expect(await listed("list_remotes")).toEqual(expect.arrayContaining(["payments"]));
    const { json } = await session.call("list_tasks", { limit: 1 });
    expect(json["items"]).toHaveLength(1);
  });

  test("fault codes and the documentation need no server", async () => {
    await using session = await connect([], { HOLDFAST_URL: "http://127.0.0.1:1" });
    expect((await session.call("explain_error", { code: "step.expired" })).json).toMatchObject({
      code: "step.expired",
      meaning: expect.any(String),
      action: expect.any(String),
    });
    expect((await session.call("explain_error", { code: "cards.full" })).text).toContain(
      "an Agent reports it",
    );
    expect((await session.call("explain_error", { code: "step.odd" })).isError).toBe(true);
    expect((await session.call("read_doc", { page: "guides/testing" })).text).toMatch(/^# Testing/);
    expect((await session.call("read_doc")).json["pages"]).toContainEqual(
      expect.objectContaining({ name: "guides/workflows", title: "Workflows" }),
    );
    const { json } = await session.call("search_docs", { words: "heartbeat extends" });
    expect(json["hits"]).toContainEqual(expect.objectContaining({ heading: "Long operations" }));
    const down = await session.call("get_task", { id: "x" });
    expect(down.isError).toBe(true);
    expect(down.text).toContain("HOLDFAST_URL");
  });

  test("a wrong token and an unknown task are answered with a code and what to do, and no stack", async () => {
    await using stranger = await connect([], { HOLDFAST_TOKEN: "" });
    const refused = await stranger.call("list_tasks");
    expect(refused).toMatchObject({ isError: true, json: { code: "auth.token_missing" } });
    expect(refused.text).toContain("Set HOLDFAST_TOKEN");
    await using session = await connect();
    const id = "01a1fd8d-d928-77c8-96cb-353aaba1757f";
    const unknown = await session.call("why", { id });
    expect(unknown).toMatchObject({ isError: true, json: { code: "task.unknown" } });
    expect(`${refused.text}${unknown.text}`).not.toContain("    at ");
    const wrong = await session.call("list_tasks", { state: "done" });
    expect(wrong.isError).toBe(true);
  });
});

/** A task of a workflow of our own that halts at its only step: its Agent refuses the input. */
async function haltingTask(session: Session): Promise<string> {
  const policy = {
    startWithin: 30_000,
    completeWithin: 5_000,
    retry: { failures: 1, backoff: 100, max: 100 },
    coolDown: null,
  };
  const step = {
    name: "send",
    agent: "notifications",
    operation: "confirmOrder",
    input: null,
    after: [],
    onlyIf: null,
    undo: null,
    onFailure: "halt",
  };
  await store({ format: 1, name: "halts.v1", steps: [{ ...policy, ...step }] });
  const { json } = await session.call("submit_task", { workflow: "halts", input: {} });
  await taskIn(session, json["id"], "halted");
  return String(json["id"]);
}

/** A task whose only step waits for a day. */
async function waitingTask(session: Session): Promise<string> {
  const step = { kind: "wait", name: "rest", after: [], onlyIf: null, for: 86_400_000 };
  await store({ format: 2, name: "rests.v1", steps: [{ ...step, onFailure: "halt" }] });
  const { json } = await session.call("submit_task", { workflow: "rests", input: {} });
  await taskIn(session, json["id"], "processing");
  return String(json["id"]);
}

async function taskThatAwaitsPayment(session: Session): Promise<string> {
  const paid = {
    type: "object",
    properties: { paymentId: { type: "string" } },
    required: ["paymentId"],
  };
  const step = { kind: "signal", name: "payment", signal: "paid", within: 86_400_000 };
  const rules = { onDeadline: "fail", after: [], onlyIf: null, onFailure: "halt" };
  const signals = { paid };
  await store({ format: 3, name: "pays.v1", signals, steps: [{ ...step, ...rules }] });
  const { json } = await session.call("submit_task", { workflow: "pays", input: {} });
  await taskIn(session, json["id"], "processing");
  return String(json["id"]);
}

/** Stores a workflow of our own, which takes any object and returns nothing. */
async function store(definition: { readonly name: string } & Record<string, unknown>) {
  const common = { inputSchema: { type: "object" }, completeWithin: null, output: null };
  const stored = await fetch(`${system.submissionUrl}/v1/workflows/${definition.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${operatorToken}` },
    body: JSON.stringify({ ...common, ...definition }),
  });
  expect(stored.status).toBe(201);
}
