import { explainInvariant } from "@holdfast/diagnosis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { openTestStore, shopping, type TestStore } from "../../test/fixtures.ts";
import { byHand, taskStates, verify, verifyAsJson } from "../../test/verify.ts";

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});

afterEach(() =>
  store.query(
    "truncate state.tasks, state.steps, state.task_payloads, state.step_payloads, state.events, state.alerts, state.rejected_replies, state.waits, state.signals, state.decisions, state.schedule_fires",
  ),
);
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const ofTask = (taskId: string) => `task_id = '${taskId}'`;

const addWait = (of: string) =>
  `insert into state.waits (task_id, step, kind, deadline, due_at)
   select task_id, name, 'wait', now(), now() from state.steps where ${of} and name = 'reserve'`;

const addSignal = (of: string, takenBy: string) =>
  `insert into state.signals (task_id, name, signal_id, request_hash, payload, sent_by, taken_by)
   select task_id, 'go', '1', '', '{}', 'bank', ${takenBy} from state.tasks where ${of}`;

const addDecision = (of: string, decision: "approve" | "reject") =>
  `insert into state.decisions (task_id, step, actor, name, decision, reason)
   select task_id, 'reserve', 'ada', 'Ada', '${decision}', '' from state.tasks where ${of}`;

/** Has the step have needed two people. */
const asking = (of: string) =>
  `insert into state.workflows (name, content_hash, format, definition, awaits_agents)
   values ('asking.v1', '', 4,
           '{"steps": [{"kind": "approval", "name": "reserve", "quorum": 2, "onDeadline": "reject"}]}', false);
   update state.tasks set workflow = 'asking.v1' where ${of}`;

const breaches: readonly (readonly [
  invariant: string,
  from: string,
  sql: (of: string) => string,
])[] = [
  ["every task has steps", "submitted", (of) => `delete from state.steps where ${of}`],
  [
    "the state of a task follows from its steps",
    "half done",
    (of) => `update state.tasks set process_state = 'halted' where ${of}`,
  ],
  [
    "an unfinished task has something to wait for",
    "submitted",
    (of) =>
      `update state.steps set process_state = 'waiting', rank = null, not_before = null where ${of}`,
  ],
  [
    "nothing is left to do in a finished task",
    "submitted",
    (of) => `update state.tasks set process_state = 'processed', finished_at = now() where ${of}`,
  ],
  ["every step belongs to a task", "submitted", (of) => `delete from state.tasks where ${of}`],
  [
    "nothing more is begun of a paused task",
    "submitted",
    (of) => `update state.tasks set paused_at = now(), paused_by = 'ann' where ${of}`,
  ],
  [
    "only what is to be undone has undos",
    "being undone",
    (of) => `update state.tasks set goal = 'do', process_state = 'halted' where ${of}`,
  ],
  [
    "no undo meets its own do",
    "undone",
    (of) => `update state.steps set process_state = 'waiting' where ${of} and name = 'reserve'`,
  ],
  [
    "what an undone task did is undone",
    "undone",
    (of) =>
      `update state.steps set process_state = 'cancelled' where ${of} and name = 'reserve:undo'`,
  ],
  [
    "what may have had an effect has its undo",
    "undone",
    (of) => `delete from state.steps where ${of} and name = 'reserve:undo'`,
  ],
  [
    "nothing is begun before what it waits for",
    "processed",
    (of) => `update state.steps set process_state = 'waiting' where ${of} and name = 'reserve'`,
  ],
  ["a step awaits exactly while it has a wait", "submitted", addWait],
  ["no wait outlives its task", "processed", addWait],
  [
    "a signal that came makes its wait due",
    "submitted",
    (of) => `${addWait(of)}; update state.waits set due_at = null;
             insert into state.waits (task_id, step, kind, signal) select task_id, 'go', 'signal', 'go' from state.waits;
             ${addSignal(of, "null")}`,
  ],
  ["a signal is taken by a step that is done", "submitted", (of) => addSignal(of, "'reserve'")],
  [
    "every signal belongs to a task",
    "processed",
    (of) => `${addSignal(of, "null")}; delete from state.tasks where ${of}`,
  ],
  [
    "a decision that decides makes its wait due",
    "submitted",
    (of) => `insert into state.waits (task_id, step, kind, audience, came_at)
             select task_id, 'reserve', 'approval', 'treasury', now() from state.tasks where ${of}`,
  ],
  ["a step that was rejected is not done", "half done", (of) => addDecision(of, "reject")],
  [
    "a step is done once enough have approved it",
    "half done",
    (of) => `${asking(of)}; ${addDecision(of, "approve")}`,
  ],
  [
    "every decision belongs to a task",
    "processed",
    (of) => `${addDecision(of, "approve")}; delete from state.tasks where ${of}`,
  ],
  [
    "what fired has its task or its refusal",
    "processed",
    (of) => `insert into state.schedule_fires (schedule, instant, outcome, task_id)
             select 'night', now(), 'fired', task_id from state.tasks where ${of};
             delete from state.steps where ${of}; delete from state.tasks where ${of}`,
  ],
  [
    "a wait ends once",
    "half done",
    (of) => `insert into state.events (task_id, step, action, from_state, to_state, actor)
               select task_id, name, 'fire', 'awaiting', 'processed', 'rival'
                 from state.steps, generate_series(1, 2) where ${of} and name = 'reserve'`,
  ],
  [
    "an attempt is claimed once",
    "claimed",
    (of) => `insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
               select task_id, step, action, from_state, to_state, attempt, 'rival'
                 from state.events where ${of} and action = 'claim'`,
  ],
  [
    "an attempt ends once",
    "half done",
    (of) => `insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
               select task_id, step, action, from_state, to_state, attempt, 'rival'
                 from state.events where ${of} and action = 'complete'`,
  ],
  [
    "the history of a step is unbroken",
    "half done",
    (of) => `update state.events set from_state = 'error' where ${of} and action = 'complete'`,
  ],
  [
    "the history of a step ends where it stands",
    "half done",
    (of) => `update state.steps set process_state = 'skipped' where ${of} and name = 'reserve'`,
  ],
  [
    "every claim is in the history",
    "half done",
    (of) => `update state.steps set attempt = 7 where ${of} and name = 'reserve'`,
  ],
  [
    "at most one open task has a business key",
    "submitted",
    (of) => `with named as (
               update state.tasks set business_key = 'twice' where ${of} returning *)
             insert into state.tasks (task_id, workflow, business_key)
             select state.new_task_id(), workflow, business_key from named`,
  ],
  ["every halt raises one alert", "halted", (of) => `delete from state.alerts where ${of}`],
];

describe("finds", () => {
  test.each(breaches)("that %s does not hold", async (invariant, from, sql) => {
    const healthy = await store.submit();
    const taskId = await taskStates[from]!(store);
    await byHand(store, sql(ofTask(taskId)));

    const { violations, exitCode } = await verifyAsJson(store);
    expect(exitCode).toBe(1);
    expect(violations.map((one) => one.taskId)).not.toContain(healthy);
    const found = violations.find((one) => one.rule === invariant);
    expect(found?.taskId).toBe(taskId);
    expect(found?.sentence.startsWith(explainInvariant(invariant))).toBe(true);
    expect(explainInvariant(invariant)).not.toBe(explainInvariant("no such invariant"));
  });

  test("exactly the violations that the view looks for: each of its rules is broken above", async () => {
    const [view] = await store.query<{ sql: string }>(
      "select pg_get_viewdef('state.invariant_violations') as sql",
    );
    const rules = [...(view?.sql ?? "").matchAll(/'([a-z]+ [a-z ]+)'::text/g)].map(
      ([, rule]) => rule,
    );
    expect(new Set(rules)).toEqual(new Set(breaches.map(([rule]) => rule)));
  });

  test("a reply to a task that this store does not know, once, and no reply that only came too late", async () => {
    const known = await store.submit();
    const unknown = "01890000-0000-7000-8000-000000000000";
    for (const [taskId, reason] of [
      [known, "stale_attempt"],
      [unknown, "unknown_task"],
      [unknown, "unknown_task"],
    ]) {
      await store.query(
        `insert into state.rejected_replies (task_id, step, attempt, reason, body)
         values ('${taskId}', 'reserve', 1, '${reason}', '')`,
      );
    }
    const invariant = "every reply belongs to a task";
    const { violations } = await verifyAsJson(store);
    expect(violations).toEqual([
      { rule: invariant, taskId: unknown, sentence: `${explainInvariant(invariant)} (reserve)` },
    ]);
    expect(explainInvariant(invariant)).toContain("restored");
  });

  test("witnesses, and prints them", async () => {
    const taskId = await taskStates["half done"]!(store);
    await byHand(
      store,
      `update state.steps set attempt = 7 where ${ofTask(taskId)} and name = 'reserve'`,
    );
    const { stdout, exitCode } = await verify(store);
    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      [
        "✗ every claim is in the history",
        `    ${taskId}  ${explainInvariant("every claim is in the history")} (reserve)`,
        "",
        "1 task looked at: 1 violation.",
        "",
      ].join("\n"),
    );
  });

  test("only violations of tasks submitted since the given time", async () => {
    const old = "01890000-0000-7000-8000-000000000000";
    await byHand(
      store,
      `insert into state.tasks (task_id, workflow) values ('${old}', '${shopping.name}')`,
    );
    await store.submit();
    expect(await verifyAsJson(store, "--since", "1h")).toMatchObject({ tasks: 1, violations: [] });
    const { tasks, violations } = await verifyAsJson(store);
    expect(tasks).toBe(2);
    expect(new Set(violations.map(({ taskId }) => taskId))).toEqual(new Set([old]));
  });
});
