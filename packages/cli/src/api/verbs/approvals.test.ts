import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCommand } from "../../../test/run-command.ts";

const task = "01a1fd8d-d928-77c8-96cb-353aaba1757f";
const env = { HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: `hfk_${"k".repeat(43)}` };
const before = globalThis.fetch;
let sent: unknown[] = [];
let answers: (readonly [status: number, body: object])[] = [];

beforeEach(() => {
  sent = [];
  globalThis.fetch = async (url, init) => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : url);
    const shown = new Headers(init?.headers).get("authorization");
    const body: unknown = init?.body === undefined ? null : JSON.parse(init.body as string);
    sent.push([init?.method, pathname + search, body, shown]);
    const [status, answer] = answers.shift() ?? [500, {}];
    return new Response(JSON.stringify(answer), { status });
  };
});
afterEach(() => {
  globalThis.fetch = before;
});

const ada = {
  id: "ada@example.com",
  name: "Ada",
  decision: "approve",
  reason: null,
  form: { costCentre: "C-17" },
  at: "2026-12-01T10:00:00.000Z",
};
const approval = {
  taskId: task,
  workflow: "pay-out.v1",
  step: "release",
  key: "order-7",
  submittedBy: "checkout",
  audience: "treasury",
  quorum: 2,
  openedAt: "2026-12-01T09:00:00.000Z",
  deadline: "2026-12-03T09:00:00.000Z",
  onDeadline: "reject",
  paused: false,
  mayDecide: true,
  show: { amount: 240 },
  form: null,
  decisions: [ada],
  outcome: null,
};

test("a list has all pages, with how many have approved each", async () => {
  answers = [
    [200, { items: [approval], next: "c" }],
    [200, { items: [{ ...approval, decisions: [], step: "close" }], next: null }],
  ];
  const line = ["approvals", "list", "--mine", "--audience", "treasury"];
  const { exitCode, stdout } = await runCommand(line, env);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((row) => row.split(/ {2,}/));
  const [taskId, workflow, key, audience] = [task, "pay-out.v1", "order-7", "treasury"];
  const times = [approval.openedAt, approval.deadline];
  expect({ exitCode, rows }).toEqual({
    exitCode: 0,
    rows: [
      ["TASK ID", "STEP", "WORKFLOW", "KEY", "AUDIENCE", "APPROVED", "OPENED AT", "DEADLINE"],
      [taskId, "release", workflow, key, audience, "1 of 2", ...times],
      [taskId, "close", workflow, key, audience, "0 of 2", ...times],
    ],
  });
  const shown = `Bearer ${env.HOLDFAST_TOKEN}`;
  const query = "/v1/approvals?audience=treasury&mine=true";
  expect(sent).toEqual([
    ["GET", query, null, shown],
    ["GET", `${query}&after=c`, null, shown],
  ]);
  answers = [[200, { items: [approval], next: null }]];
  expect((await runCommand(["approvals", "list", "-o", "id"], env)).stdout).toBe(`${task}\n`);
});

test("one is shown with what is asked, who decided what, and what follows if no more do", async () => {
  answers = [[200, approval]];
  const { stdout } = await runCommand(["approvals", "show", task, "release"], env);
  expect(stdout).toContain(
    `release of pay-out.v1: open, 1 of 2 of treasury approved, ${approval.deadline}: then it counts as rejected`,
  );
  expect(stdout).toContain('"amount": 240');
  expect(stdout).toMatch(/ada@example\.com +Ada +approve .* +\{"costCentre":"C-17"\}/);
});

const decided = {
  taskId: task,
  step: "release",
  at: ada.at,
  approvals: 1,
  quorum: 2,
  decided: false,
  replayed: false,
};

test.each([
  [
    ["--approve", "--form", '{"costCentre": "C-17"}'],
    { decision: "approve" },
    { decision: "approve", form: { costCentre: "C-17" } },
    `release of ${task} is approved: 1 of 2 have approved it.\n`,
  ],
  [
    ["--reject", "-r", "the account is new"],
    { decision: "reject", decided: true, replayed: true },
    { decision: "reject", reason: "the account is new" },
    `release of ${task} is rejected, as before: it is decided.\n`,
  ],
])("a decision is sent as it was said: %j", async (options, answer, body, text) => {
  answers = [[200, { ...decided, ...answer }]];
  const done = await runCommand(["approvals", "decide", task, "release", ...options], env);
  expect(done).toEqual({ exitCode: 0, stdout: text, stderr: "" });
  const path = `/v1/tasks/${task}/steps/release/decision`;
  expect(sent).toEqual([["POST", path, body, `Bearer ${env.HOLDFAST_TOKEN}`]]);
});

test.each([
  [409, "approval.over", 5],
  [409, "approval.decided_already", 5],
  [403, "approval.needs_principal", 5],
  [404, "approval.unknown", 3],
])("a refusal is passed on, and nothing is sent again: %i %s", async (status, code, expected) => {
  answers = [[status, { status, code, detail: "Ada rejected it: no.", retryable: false }]];
  const line = ["approvals", "decide", task, "release", "--approve", "--json"];
  const { exitCode, stderr } = await runCommand(line, env);
  expect([exitCode, JSON.parse(stderr)]).toEqual([
    expected,
    { error: { code, message: "Ada rejected it: no.", exitCode: expected, status } },
  ]);
  expect(sent).toHaveLength(1);
});

test("a task is shown with whom and what its steps wait for", async () => {
  const awaiting = { until: approval.deadline, signal: null, audience: "treasury" };
  const step = (name: string, on: object) => ({ name, processState: "awaiting", awaiting: on });
  const steps = [
    step("release", awaiting),
    step("pay", { until: null, signal: "paid", audience: null }),
    step("rest", { ...awaiting, audience: null }),
    { name: "book", processState: "processed", awaiting: null },
  ];
  answers = [[200, { id: task, steps }]];
  const { stdout } = await runCommand(["tasks", "get", task], env);
  expect(stdout.split("\n\n").at(-1)).toBe(
    [
      `release waits for treasury to decide, until ${approval.deadline}`,
      "pay waits for the signal paid",
      `rest waits until ${approval.deadline}`,
      "",
    ].join("\n"),
  );
});
