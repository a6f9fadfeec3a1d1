import { signalExchange, signalQueue, TaskSignal } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { killEachSecond } from "./kill-each-second.ts";
import { publishAll } from "./publish.ts";

/** Tasks that are sent two signals each. */
const tasks = 200;
/** Milliseconds: processes are started all the time. */
const longest = 300_000;

const step = {
  kind: "signal",
  signal: "paid",
  within: null,
  onDeadline: "fail",
  onlyIf: null,
  onFailure: "halt",
} as const;
/** A workflow whose two steps wait for a payment each. */
const paying = {
  format: 3,
  name: "paying.v1",
  inputSchema: {},
  signals: { paid: { type: "object", properties: { part: { type: "integer" } } } },
  steps: [
    { ...step, name: "first", after: [] },
    { ...step, name: "second", after: ["first"] },
  ],
  completeWithin: null,
  output: { $ref: "/steps/second/payload" },
} as const;

/** Submits a task and sends its first signal in one transaction, as an application does. */
async function submitAndSignal(faulty: FaultySystem): Promise<string> {
  const submission = JSON.stringify({ workflow: "paying", input: {} });
  const [row] = await faulty.query<{ id: string }>(
    `with submitted as materialized (select state.enqueue_submission('${submission}') as id)
     select id::text as id, state.signal_task(id, 'paid', '{"part": 1}', 'first')
       from submitted`,
  );
  return row!.id;
}

/** Sends both signals of a task by message, and again. */
const byMessage = (taskId: string) =>
  ["first", "second", "first", "second"].map((id) => ({
    exchange: signalExchange,
    routingKey: signalQueue,
    persistent: true,
    type: TaskSignal.type,
    body: TaskSignal.encode({
      taskId,
      name: "paid",
      id,
      payload: { part: id === "first" ? 1 : 2 },
    }).toString(),
  }));

test(
  "400 signals by message and in transactions are taken once each while submission and Schedulers are killed each second",
  async () => {
    await using faulty = await startFaultySystem({
      apart: ["scheduler", "submission"],
      count: { scheduler: 2, submission: 2, agent: 0, partners: 0 },
    });
    await faulty.store.registerWorkflow(paying);
    await using killer = killEachSecond(faulty, ["submission", "scheduler"]);
    const ids: string[] = [];
    while (ids.length < tasks) {
      const some = await Promise.all(Array.from({ length: 20 }, () => submitAndSignal(faulty)));
      ids.push(...some);
      const url = faulty.system.broker.urlOf("application");
      await publishAll(faulty, some.flatMap(byMessage), url);
      await faulty.query(
        `select state.signal_task(id, 'paid', '{"part": 2}', 'second')
           from unnest('{${some.join()}}'::uuid[]) as id`,
      );
    }
    await until(async () => killer.kills() > 5, 100);
    const ended = "select from state.tasks where process_state = 'processed'";
    await until(async () => (await faulty.query(ended)).length === tasks, 100);
    const waiting = "select from state.signal_inbox";
    await until(async () => (await faulty.query(waiting)).length === 0, 100);

    const [counted] = await faulty.query(
      `select count(*)::int as signals, count(distinct (task_id, signal_id))::int as ids,
              count(distinct (task_id, taken_by))::int as taken
         from state.signals`,
    );
    expect(counted).toEqual({ signals: 2 * tasks, ids: 2 * tasks, taken: 2 * tasks });
    expect(await faulty.query("select code from state.signal_refusals")).toEqual([]);
    expect(await faulty.query("select reason from state.dead_letters")).toEqual([]);
    expect(await faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);
