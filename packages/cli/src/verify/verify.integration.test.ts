import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { openTestStore, shopping, type TestStore } from "../../test/fixtures.ts";
import { runCommand } from "../run-command.ts";
import { explain } from "./explanations.ts";

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

interface Found {
  readonly tasks: number;
  readonly violations: readonly {
    readonly invariant: string;
    readonly taskId: string;
    readonly explanation: string;
  }[];
}

async function verifyAsJson(...args: readonly string[]): Promise<Found & { exitCode: number }> {
  const { stdout, exitCode } = await verify("--json", ...args);
  return { ...(JSON.parse(stdout) as Found), exitCode };
}

const verify = (...args: readonly string[]) =>
  runCommand(["verify", ...args], { STATE_STORE_URL: store.url });

/** A task in each state that a healthy store can have. */
const states: Readonly<Record<string, () => Promise<string>>> = {
  submitted: () => store.submit(),
  "in hand": async () => {
    const taskId = await store.submit();
    await store.claim(taskId);
    return taskId;
  },
  "half done": async () => {
    const taskId = await store.submit();
    await store.complete(taskId, 1);
    return taskId;
  },
  processed: async () => {
    const taskId = await store.submit();
    await store.complete(taskId, 2);
    return taskId;
  },
  "being undone": async () => {
    const taskId = await store.submit();
    await store.complete(taskId, 1);
    await store.report(await store.claim(taskId), { transient: false, effect: "none" });
    return taskId;
  },
  undone: async () => {
    const taskId = await states["being undone"]!();
    await store.complete(taskId, 1);
    return taskId;
  },
  halted: async () => {
    const taskId = await states["being undone"]!();
    await store.report(await store.claim(taskId), { transient: false });
    return taskId;
  },
};

/** Past every trigger, as only somebody can who may do everything. */
const byHand = (sql: string) =>
  store.query(`set session_replication_role = replica; ${sql}; reset session_replication_role`);

const ofTask = (taskId: string) => `task_id = '${taskId}'`;

describe("finds nothing in a store that is right", () => {
  test.each(Object.keys(states))("%s", async (state) => {
    await states[state]!();
    expect(await verifyAsJson()).toEqual({ exitCode: 0, tasks: 1, violations: [], more: false });
  });

  test("and prints so in a sentence", async () => {
    await store.submit();
    const { stdout, exitCode } = await verify();
    expect({ stdout, exitCode }).toEqual({
      stdout: "1 task looked at: all that must hold does.\n",
      exitCode: 0,
    });
  });
});

const breaches: readonly (readonly [
  invariant: string,
  from: string,
  sql: (of: string) => string,
])[] = [
  ["every task has steps", "submitted", (of) => `delete from state.steps where ${of}`],
  [
    "the state of a task follows from its steps",
    "half done",
    (of) => `update state.tasks set process_state = 'error' where ${of}`,
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
    (of) => `update state.tasks set goal = 'do', process_state = 'error' where ${of}`,
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
  [
    "an attempt is claimed once",
    "in hand",
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
  ["every halt raises one alert", "halted", (of) => `delete from state.alerts where ${of}`],
];

describe("finds", () => {
  test.each(breaches)("that %s does not hold", async (invariant, from, sql) => {
    const healthy = await store.submit();
    const taskId = await states[from]!();
    await byHand(sql(ofTask(taskId)));

    const { violations, exitCode } = await verifyAsJson();
    expect(exitCode).toBe(1);
    expect(violations.map((one) => one.taskId)).not.toContain(healthy);
    const found = violations.find((one) => one.invariant === invariant);
    expect(found).toMatchObject({ taskId, explanation: explain(invariant) });
    expect(explain(invariant)).not.toBe(explain("no such invariant"));
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
        `insert into state.rejected_replies (task_id, step, attempt, reason, reply)
         values ('${taskId}', 'reserve', 1, '${reason}', '{}')`,
      );
    }
    const invariant = "every reply belongs to a task";
    const { violations } = await verifyAsJson();
    expect(violations).toEqual([
      { invariant, taskId: unknown, witness: "reserve", explanation: explain(invariant) },
    ]);
    expect(explain(invariant)).toContain("restored");
  });

  test("witnesses, and prints them", async () => {
    const taskId = await states["half done"]!();
    await byHand(`update state.steps set attempt = 7 where ${ofTask(taskId)} and name = 'reserve'`);
    const { stdout, exitCode } = await verify();
    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      [
        "✗ every claim is in the history",
        `  ${explain("every claim is in the history")}`,
        `    ${taskId}  reserve`,
        "",
        "1 task looked at: 1 violation.",
        "",
      ].join("\n"),
    );
  });

  test("only violations of tasks submitted since the given time", async () => {
    const old = "01890000-0000-7000-8000-000000000000";
    await byHand(
      `insert into state.tasks (task_id, workflow) values ('${old}', '${shopping.name}')`,
    );
    await store.submit();
    expect(await verifyAsJson("--since", "1h")).toMatchObject({ tasks: 1, violations: [] });
    const { tasks, violations } = await verifyAsJson();
    expect(tasks).toBe(2);
    expect(new Set(violations.map(({ taskId }) => taskId))).toEqual(new Set([old]));
  });
});

test("a task whose definition cannot be used is reported until the definition has been restored", async () => {
  const taskId = await store.submit();
  await byHand("update state.workflows set definition = '{\"steps\": 5}'");
  const { violations, exitCode } = await verifyAsJson();
  expect(exitCode).toBe(1);
  expect(violations).toMatchObject([
    {
      invariant: "an unfinished task can be decided about",
      taskId,
      witness: expect.stringContaining("steps must be array"),
    },
  ]);
  await byHand(`update state.workflows set definition = '${JSON.stringify(shopping)}'`);
  expect(await verifyAsJson()).toMatchObject({ violations: [], exitCode: 0 });
});

/** With another URL. */
const at = (change: (url: URL) => void) => {
  const url = new URL(store.url);
  change(url);
  return runCommand(["verify", "--state-store-url", url.href], {});
};

describe("cannot look, and says what to do", () => {
  test.each<readonly [string, (url: URL) => void, string]>([
    ["nobody listens", (url) => Object.assign(url, { port: "1" }), "is it running"],
    [
      "the database is another",
      (url) => Object.assign(url, { pathname: "/postgres" }),
      "migrations",
    ],
    [
      "there is none",
      (url) => Object.assign(url, { pathname: "/nowhere" }),
      "database does not exist",
    ],
    [
      "the role may not",
      (url) => url.searchParams.set("options", "-c role=holdfast_supervisor"),
      "grant holdfast_observer",
    ],
  ])("%s", async (_, change, advice) => {
    expect(await at(change)).toMatchObject({
      exitCode: 2,
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
