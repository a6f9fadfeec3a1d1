import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import type { Task } from "../api/types.ts";
import { type Action, commandLine, curlLine, readField, shellWord } from "./action.ts";
import { offersOf, resolveAction, retryAction, wholeTaskAction } from "./task-actions.ts";

const task = { id: "01a1", version: 3, state: "halted", paused: null } as const;
const filled = { actor: "ada", reason: "the carrier's API is back", field: undefined };
const first = (action: Action) => {
  const [call] = action.calls;
  if (call === undefined) throw new Error("There is no call.");
  return call;
};

test.each(["plain", "", "it's", "$(rm -rf /)", "`id`", "a\nb", '"', "\\", "!history", "-n", "ünï"])(
  "a shell passes %p on as it is",
  (word) => {
    const printed = execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], {
      encoding: "utf8",
    });
    expect(printed).toBe(word === "-n" ? "-n" : word);
  },
);

test("the curl line sends what the page sends, and names no token", () => {
  const action = wholeTaskAction("cancel", [task]);
  const line = curlLine("http://localhost:3001", first(action).request(filled));
  expect(line).toBe(
    `curl -X POST http://localhost:3001/v1/tasks/01a1/cancel -H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json' -H 'if-match: "3"' -d '{"actor":"ada","reason":"the carrier'\\''s API is back"}'`,
  );
});

test("the command line has the target, the reason and who acts", () => {
  const action = resolveAction(task, "ship it", null);
  expect(commandLine(action, first(action), { ...filled, field: { id: 1 } })).toBe(
    `holdfast tasks resolve 01a1 --step 'ship it' --result '{"id":1}' --reason 'the carrier'\\''s API is back' --actor ada`,
  );
});

test("a step whose name has a slash stays one part of the path", () => {
  const action = retryAction(task, "a/../b");
  expect(first(action).request(filled).path).toBe("/v1/tasks/01a1/steps/a%2F..%2Fb/retry");
  expect(commandLine(action, first(action), filled)).toBeNull();
});

test("the field of an action stands under its name, and null is a value", () => {
  const action = resolveAction(task, "ship", null);
  expect(first(action).request({ ...filled, field: null }).body).toMatchObject({
    step: "ship",
    output: null,
  });
  expect(first(action).request(filled).body).not.toHaveProperty("output");
});

const taskOf = (rest: Partial<Task>, ...steps: readonly Partial<Task["steps"][number]>[]): Task =>
  ({ ...task, goal: "do", steps, ...rest }) as Task;
const verbsOf = (given: Task, selected: string | null = null) =>
  offersOf(given, selected)
    .filter(({ action }) => action !== null)
    .map(({ verb }) => verb);

test("a task with a step that waits has a button that ends the wait, and says its command", () => {
  const waiting = taskOf({ state: "processing" }, { name: "rest", processState: "awaiting" });
  expect(verbsOf(waiting)).toEqual(["End wait", "Pause", "Cancel"]);
  const [end] = offersOf(waiting, null);
  expect(end?.action?.command?.({ target: "01a1" } as never, filled)).toEqual([
    "tasks",
    "fire",
    "01a1",
    "rest",
  ]);
});

describe("a task with a step that waits for a signal", () => {
  const waiting = taskOf(
    { state: "processing" },
    {
      name: "pay",
      processState: "awaiting",
      awaiting: { until: null, signal: "paid", audience: null },
    },
  );
  const schema = { type: "object", required: ["paymentId"] };
  const workflow = (onDeadline: "continue" | "fail") => ({
    signals: { paid: schema },
    steps: [
      {
        kind: "signal" as const,
        name: "pay",
        signal: "paid",
        within: null,
        onDeadline,
        after: [],
        onlyIf: null,
        onFailure: "undo" as const,
      },
    ],
  });
  const sendOf = (given = workflow("fail")) => {
    const [send] = offersOf(waiting, null, given);
    if (send?.action == null) throw new Error("There is no button.");
    return send.action;
  };

  test("has a button that sends it, with the schema of what it carries", () => {
    const { verb, title, field, hasReason } = sendOf();
    expect({ verb, title, hasReason }).toEqual({
      verb: "Send signal",
      title: "Send the signal paid",
      hasReason: false,
    });
    expect(field).toMatchObject({ isRequired: true, schema });
    expect(readField(field, "").fault).not.toBeNull();
  });

  test("has its wait ended without a signal only where later steps need none", () => {
    const end = (onDeadline: "continue" | "fail") =>
      offersOf(waiting, null, workflow(onDeadline))[1];
    expect(end("continue")).toMatchObject({ verb: "End wait", refusal: null });
    expect(end("fail")).toMatchObject({
      verb: "End wait",
      action: null,
      refusal: expect.stringContaining("send it"),
    });
    // Until the workflow is known, the service decides.
    expect(verbsOf(waiting)).toEqual(["Send signal", "End wait", "Pause", "Cancel"]);
  });

  test("gets one signal of the same payload, however often it is sent, and by the command, too", () => {
    const action = sendOf();
    const payload = { paymentId: "P-1" };
    const sent = (field: unknown) => first(action).request({ ...filled, field });
    const request = sent(payload);
    expect(request).toMatchObject({
      method: "POST",
      path: "/v1/tasks/01a1/signals/paid",
      body: { payload, actor: "ada" },
    });
    expect(request.body).not.toHaveProperty("reason");
    const key = request.headers?.["idempotency-key"];
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(sent({ ...payload }).headers).toEqual(request.headers);
    expect(sent({ paymentId: "P-2" }).headers).not.toEqual(request.headers);
    expect(commandLine(action, first(action), { ...filled, field: payload })).toBe(
      `holdfast tasks signal 01a1 paid --id ${key} --payload '{"paymentId":"P-1"}' --actor ada`,
    );
  });
});

test("what people decide is ended and resolved by no operator", () => {
  const awaiting = { until: null, signal: null, audience: "treasury" };
  const open = taskOf(
    { state: "processing" },
    { name: "release", kind: "approval", processState: "awaiting", awaiting },
  );
  expect(verbsOf(open)).toEqual(["Pause", "Cancel"]);
  expect(offersOf(open, null)[0]?.refusal).toMatch(/^It is for treasury to decide/);
  const failed = taskOf({}, { name: "release", kind: "approval", processState: "error" });
  const approval = {
    kind: "approval" as const,
    name: "release",
    audience: "treasury",
    quorum: 1,
    excludesSubmitter: false,
    excludes: [],
    within: null,
    remindAfter: null,
    onDeadline: "reject" as const,
    show: {},
    after: [],
    onlyIf: null,
    onFailure: "halt" as const,
  };
  const resolve = offersOf(failed, null, { steps: [approval] }).find(
    ({ verb }) => verb === "Resolve",
  );
  expect(resolve).toMatchObject({ action: null, refusal: expect.stringContaining("No operator") });
});

test.each<[string, Task, string]>([
  [
    "halted",
    taskOf({}, { name: "a", processState: "error", output: null }),
    "Resubmit Resolve Pause Cancel",
  ],
  [
    "delayed",
    taskOf(
      { state: "processing" },
      { name: "a", processState: "pending", notBefore: "2026-11-25T21:00:00Z" },
    ),
    "Retry now Pause Cancel",
  ],
  [
    "paused",
    taskOf(
      { state: "processing", paused: { at: "", by: "ada", reason: "" } },
      { name: "a", processState: "pending", notBefore: "2026-11-25T21:00:00Z" },
    ),
    "Resume Cancel",
  ],
  ["being undone", taskOf({ state: "undoing", goal: "undo" }), "Pause"],
  ["undone", taskOf({ state: "undone" }), ""],
])(
  "to a task that is %s one can do what applies, and each other button says why not",
  (_, given, verbs) => {
    expect(verbsOf(given).join(" ")).toBe(verbs);
    const refused = offersOf(given, null).filter(({ action }) => action === null);
    for (const { refusal } of refused) expect(refusal).toMatch(/\.$/);
    expect(offersOf(given, null)).toHaveLength(5);
  },
);

test("of several failed steps the selected one is resubmitted", () => {
  const given = taskOf(
    {},
    { name: "a", processState: "error", output: null },
    { name: "b", processState: "error", output: null },
  );
  const titles = (selected: string) =>
    offersOf(given, selected).flatMap(({ action }) => action?.title ?? []);
  expect(titles("b")).toContain("Resubmit b");
  expect(titles("gone")).toContain("Resubmit a");
});

test("the input of a step is given as JSON, or changed line by line, and the command says the same", () => {
  const [, resubmit] = offersOf(taskOf({}, { name: "a", processState: "error" }), null);
  const action = resubmit?.action ?? null;
  if (action === null) throw new Error("The step cannot be resubmitted.");
  const sent = (text: string) => {
    const { fault, ...given } = readField(action.field, text);
    expect(fault).toBeNull();
    const whole = { ...filled, ...given };
    return [first(action).request(whole).body, commandLine(action, first(action), whole)];
  };
  expect(sent('{"iban": "DE1"}')[0]).toMatchObject({ input: { iban: "DE1" } });
  const [body, line] = sent("iban=DE2\n\nlines/0/count:=5\n-note");
  expect(body).toEqual({
    step: "a",
    patch: [
      { op: "add", path: "/iban", value: "DE2" },
      { op: "add", path: "/lines/0/count", value: 5 },
      { op: "remove", path: "/note" },
    ],
    actor: "ada",
    reason: filled.reason,
  });
  expect(line).toContain("--step a --set iban=DE2 --set lines/0/count:=5 --unset note --reason");
  expect(sent("")[0]).not.toHaveProperty("patch");
  expect(readField(action.field, "iban").fault).toMatch(/^iban is no change: write/);
  expect(readField(action.field, "{").fault).toMatch(/^This is not JSON/);
});
