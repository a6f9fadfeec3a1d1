import type { WorkflowDefinition } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import { openStateStore } from "@holdfast/state-store";
import { migratedDatabase, testScope } from "@holdfast/test-servers";
import { epoch, memoryStore, seededRandom } from "@holdfast/testing/simulator";
import { expect, jest, test } from "@jest/globals";
import { approved } from "./differential/approval-operations.ts";
import { sameTasks } from "./differential/compare.ts";
import {
  chosenOperations,
  operationsOf,
  operationsWithApprovals,
  operationsWithSignals,
} from "./differential/operations.ts";
import type { Pair } from "./differential/pair.ts";
import { signalled } from "./differential/signal-operations.ts";
import { slow } from "./differential/slow-workflows.ts";

const isUsual = testScope().kind === "usual";
const operations = 140;

test.each(isUsual ? [1, 5, 10] : [1, 2, 5, 6, 8, 9, 10, 17])(
  "the store in memory behaves like Postgres (seed %i)",
  async (seed) => {
    await using pair = await openPair(seed, slow);
    const done = await operate(pair, chosenOperations());
    // Otherwise the comparison would have compared too little.
    expect(done.size).toBeGreaterThan(Object.keys(operationsOf).length - 4);
    expect(pair.claims.length).toBeGreaterThan(4);
  },
);

test.each(isUsual ? [6, 7] : [6, 7, 10, 11, 12, 13, 14, 17])(
  "the store in memory keeps signals like Postgres (seed %i)",
  async (seed) => {
    await using pair = await openPair(seed, signalled);
    const done = await operate(pair, operationsWithSignals);
    expect(done.size).toBeGreaterThan(new Set(operationsWithSignals).size - 2);
    const signals = [...pair.memory.tasks.values()].flatMap((stored) => stored.signals);
    expect(signals.filter(({ takenBy }) => takenBy !== null).length).toBeGreaterThan(2);
    expect(signals.filter(({ isLate }) => isLate).length).toBeGreaterThan(2);
  },
);

test.each(isUsual ? [1, 2] : [1, 2, 3, 4, 5, 6, 7, 8])(
  "the store in memory keeps what people decide like Postgres (seed %i)",
  async (seed) => {
    await using pair = await openPair(seed, approved);
    // Much has to have happened before there is something to decide.
    const done = await operate(pair, operationsWithApprovals, 2 * operations);
    expect(done.size).toBeGreaterThan(new Set(operationsWithApprovals).size - 2);
    const decisions = [...pair.memory.tasks.values()].flatMap((stored) => stored.decisions);
    expect(decisions.filter(({ decision }) => decision === "approve").length).toBeGreaterThan(4);
    expect(decisions.filter(({ decision }) => decision === "reject").length).toBeGreaterThan(1);
  },
);

/** Two stores that know the same workflows, and the means to compare them. */
async function openPair(
  seed: number,
  workflows: readonly WorkflowDefinition[],
): Promise<Pair & AsyncDisposable> {
  jest.spyOn(Math, "random").mockReturnValue(0.5);
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await migratedDatabase());
  const options = { url: database.url, applicationName: "differential", maxConnections: 4 };
  const first = opened.use(await openStateStore(options));
  const second = opened.use(await openStateStore(options));
  let passed = 0;
  let ids = 0;
  const memory = memoryStore({
    now: () => epoch + passed,
    random: () => 0.5,
    newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, "0")}`,
  });
  const random = seededRandom(seed);
  for (const definition of workflows) {
    await first.registerWorkflow(definition);
    memory.registerWorkflow(definition);
  }
  expect(new Set(await first.findLanes())).toEqual(new Set(memory.findLanes()));
  const all = opened.move();
  return {
    get real() {
      return random.pick([first, first, second]);
    },
    memory,
    random,
    workflows,
    tasks: [],
    claims: [],
    async advance(ms) {
      passed += ms;
      if (ms > 1) await queryOnce(database.url, travel(ms));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Does to both what is chosen, and expects the same of them. Returns what was done. */
async function operate(
  pair: Pair,
  names: readonly string[],
  times = operations,
): Promise<ReadonlySet<string>> {
  const done = new Set<string>();
  for (let count = 0; count < times; count += 1) {
    await pair.advance(1);
    const name = pair.tasks.length < 3 ? "submitTasks" : pair.random.pick(names);
    done.add(name);
    await operationsOf[name]!(pair);
  }
  await sameTasks(pair);
  return done;
}

/** What happened so far happened long ago: the database's way of letting time pass. */
const travel = (ms: number) => `
  set session_replication_role = replica;
  update state.steps
     set not_before = not_before - interval '${ms} ms', rank = rank - interval '${ms} ms',
         start_by = start_by - interval '${ms} ms', complete_by = complete_by - interval '${ms} ms',
         resend_at = resend_at - interval '${ms} ms', started_at = started_at - interval '${ms} ms',
         heartbeat_at = heartbeat_at - interval '${ms} ms';
  update state.waits
     set deadline = deadline - interval '${ms} ms', due_at = due_at - interval '${ms} ms',
         opened_at = opened_at - interval '${ms} ms',
         came_at = came_at - interval '${ms} ms';
  update state.decisions set at = at - interval '${ms} ms';
  update state.mailbox
     set at = at - interval '${ms} ms', expires_at = expires_at - interval '${ms} ms';
  update state.tasks
     set updated_at = updated_at - interval '${ms} ms', complete_by = complete_by - interval '${ms} ms',
         created_at = created_at - interval '${ms} ms', paused_at = paused_at - interval '${ms} ms';
  update state.breakers
     set since = since - interval '${ms} ms', open_until = open_until - interval '${ms} ms',
         throttled_until = throttled_until - interval '${ms} ms';
  update state.pauses
     set paused_at = paused_at - interval '${ms} ms', resumed_at = resumed_at - interval '${ms} ms'`;
