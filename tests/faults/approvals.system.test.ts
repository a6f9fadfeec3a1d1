import { newTask } from "@holdfast/load";
import { expect, test } from "@jest/globals";
import { startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";
import { killEachSecond } from "./kill-each-second.ts";
import { peopleIn, type Said } from "./people.ts";

/** Tasks about which three people decide. */
const tasks = 150;
/** Milliseconds: processes are started all the time. */
const longest = 300_000;

const approval = {
  kind: "approval",
  excludesSubmitter: false,
  excludes: [],
  within: null,
  remindAfter: null,
  onDeadline: "reject",
  show: {},
  onlyIf: null,
  onFailure: "undo",
} as const;
/** A workflow that two of the treasury release, and then one of the lawyers. */
const releasing = {
  format: 4,
  name: "releasing.v1",
  inputSchema: {},
  steps: [
    { ...approval, name: "release", audience: "treasury", quorum: 2, after: [] },
    { ...approval, name: "check", audience: "legal", quorum: 1, after: ["release"] },
  ],
  completeWithin: null,
  output: { $ref: "/steps/release/by" },
} as const;

/** Who says what about a step; the last of them once the step before it is done. */
const sayings = (nth: number): readonly (readonly [who: string, step: string, Said])[] => [
  ["ada", "release", { decision: "approve" }],
  ["bob", "release", { decision: "approve", reason: "it is due" }],
  [
    "eve",
    "check",
    nth % 3 === 0 ? { decision: "reject", reason: "no contract" } : { decision: "approve" },
  ],
];

test(
  "450 decisions count once each, and each step ends once, while submission and Schedulers are killed each second",
  async () => {
    await using folder = await temporaryFolder();
    const people = await peopleIn(folder.path, {
      ada: ["treasury"],
      bob: ["treasury"],
      eve: ["legal"],
    });
    await using faulty = await startFaultySystem({
      apart: ["scheduler", "submission"],
      count: { scheduler: 2, submission: 2, agent: 0, partners: 0 },
      env: { submission: people.env },
    });
    const { store, system } = faulty;
    await store.registerWorkflow(releasing);
    const submitted = await store.submitTasks(
      Array.from({ length: tasks }, () => newTask({ workflow: "releasing.v1", input: {} })),
      { actor: "test" },
    );
    const ids = submitted.flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
    await using killer = killEachSecond(faulty, ["submission", "scheduler"]);

    /** Sends a decision until it is known to be kept: its step may not wait yet. */
    const decideAtLast = async (taskId: string, nth: number): Promise<void> => {
      for (const [who, step, said] of sayings(nth)) {
        const status = async (): Promise<number | null> => {
          const [one] = system.running("submission");
          if (one === undefined) return null;
          return await people.decide(system.submissionUrl, who, { taskId, step }, said);
        };
        const seen = new Set<number | null>();
        await until(async () => seen.add(await status()).has(200), 50);
        // Killed, or starting, or the step has not begun to wait.
        for (const one of [null, 200, 409, 503]) seen.delete(one);
        expect([...seen]).toEqual([]);
      }
    };
    const waiting = [...ids.entries()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await decideAtLast(next[1], next[0]);
      }
    };
    await Promise.all(Array.from({ length: 20 }, worker));
    const ended = "select from state.tasks where process_state in ('processed', 'undone')";
    await until(async () => (await faulty.query(ended)).length === tasks, 100);
    expect(killer.kills()).toBeGreaterThan(2);

    const states = await faulty.query(
      "select process_state as state, count(*)::int as tasks from state.tasks group by 1 order by 1",
    );
    expect(states).toEqual([
      { state: "processed", tasks: (tasks * 2) / 3 },
      { state: "undone", tasks: tasks / 3 },
    ]);
    const [counted] = await faulty.query(
      "select count(*)::int as decisions, count(distinct (task_id, actor))::int as voices from state.decisions",
    );
    expect(counted).toEqual({ decisions: 3 * tasks, voices: 3 * tasks });
    const twice = `select from state.events where action in ('fire', 'lapse')
                    group by task_id, step having count(*) > 1`;
    expect(await faulty.query(twice)).toEqual([]);
    const [released] = await faulty.query<{ by: object }>(
      `select output -> 'by' as by from state.step_payloads
        where task_id = '${ids[1]}' and name = 'release'`,
    );
    expect(released?.by).toMatchObject([{ id: "ada" }, { id: "bob", reason: "it is due" }]);
    expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);
