import { priorities } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import type { ClaimedStep, ReportedTaskEvent, StateStore } from "@holdfast/state-store";
import { migrate, openStateStore } from "@holdfast/state-store";
import { testDatabase } from "@holdfast/test-servers";
import {
  epoch,
  type MemoryStore,
  memoryStore,
  type Random,
  seededRandom,
} from "@holdfast/testing/simulator";
import { expect, jest, test } from "@jest/globals";
import { definitions } from "./workflows.ts";

/** All limits of the workflows in minutes, so that no time passes but what the test lets pass. */
const slow = [...new Set(definitions)].map((definition) => {
  const limits = {
    startWithin: 1_200_000,
    completeWithin: 600_000,
    retry: { failures: 2, backoff: 600_000, max: 900_000 },
  };
  return {
    ...definition,
    completeWithin: definition.completeWithin === null ? null : 1_200_000,
    steps: definition.steps.map((step) => ({
      ...step,
      ...limits,
      coolDown: step.coolDown && { ...step.coolDown, wait: 600_000 },
      undo: step.undo && { ...step.undo, ...limits, coolDown: { wait: 600_000, times: 1 } },
    })),
  };
});
/** Beyond the shortest delays. How much of them has really passed depends on the machine. */
const moment = 1_000;
/** Beyond every limit and rest. */
const jump = 2 * 60 * 60_000;
const noise = ["00000000-0000-4000-8000-00000000dead", "00000000-0000-4000-8000-00000000beef"];

/** Both stores, with one claim seen by both under its own ids. */
interface Pair {
  /** One of two that share a database: what one has in hand the other may have moved on. */
  readonly real: StateStore;
  readonly memory: MemoryStore;
  readonly random: Random;
  /** Task ids of both, in the order of submission. */
  readonly tasks: [string, string][];
  readonly claims: [ClaimedStep, ClaimedStep][];
  readonly advance: (ms: number) => Promise<void>;
}

type Side = 0 | 1;

const seeds = [1, 2, 4, 5, 6, 7, 8, 9];
const operations = 140;

test.each(seeds)("the store in memory behaves like Postgres (seed %i)", async (seed) => {
  jest.spyOn(Math, "random").mockReturnValue(0.5);
  await using database = await testDatabase();
  await migrate(database.url);
  const options = { url: database.url, applicationName: "differential", maxConnections: 4 };
  await using first = await openStateStore(options);
  await using second = await openStateStore(options);
  let passed = 0;
  let ids = 0;
  const memory = memoryStore({
    now: () => epoch + passed,
    random: () => 0.5,
    newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, "0")}`,
  });
  const random = seededRandom(seed);
  const pair: Pair = {
    get real() {
      return random.pick([first, first, second]);
    },
    memory,
    random,
    tasks: [],
    claims: [],
    async advance(ms) {
      passed += ms;
      if (ms > 1) await queryOnce(database.url, travel(ms));
    },
  };
  for (const definition of slow) {
    await first.registerWorkflow(definition);
    memory.registerWorkflow(definition);
  }
  expect(new Set(await first.findLanes())).toEqual(new Set(memory.findLanes()));

  const done = new Map<string, number>();
  for (let count = 0; count < operations; count += 1) {
    await pair.advance(1);
    const name = chooseOperation(pair);
    done.set(name, (done.get(name) ?? 0) + 1);
    await operationsOf[name]!(pair);
  }
  await sameTasks(pair);
  // Otherwise the comparison would have compared too little.
  expect(done.size).toBeGreaterThan(Object.keys(operationsOf).length - 4);
  expect(pair.claims.length).toBeGreaterThan(4);
});

/** What happened so far happened long ago: the database's way of letting time pass. */
const travel = (ms: number) => `
  set session_replication_role = replica;
  update state.steps
     set not_before = not_before - interval '${ms} ms', rank = rank - interval '${ms} ms',
         start_by = start_by - interval '${ms} ms', complete_by = complete_by - interval '${ms} ms',
         relay_at = relay_at - interval '${ms} ms';
  update state.tasks
     set updated_at = updated_at - interval '${ms} ms', complete_by = complete_by - interval '${ms} ms',
         created_at = created_at - interval '${ms} ms', paused_at = paused_at - interval '${ms} ms';
  update state.pauses
     set paused_at = paused_at - interval '${ms} ms', resumed_at = resumed_at - interval '${ms} ms'`;

const because = { actor: "ann", reason: "the customer called" };

type Operation = (pair: Pair) => Promise<void>;

function chooseOperation({ random, tasks }: Pair): string {
  if (tasks.length < 3) return "submitTasks";
  const [claim, apply] = ["claimDueSteps", "applyEvents"];
  const frequent = [claim, claim, apply, apply, apply];
  return random.pick([...frequent, ...Object.keys(operationsOf)]);
}

const operationsOf: Readonly<Record<string, Operation>> = {
  async submitTasks({ real, memory, random, tasks }) {
    const name = `order ${random.below(12)}`;
    const task = {
      tenant: "default",
      workflow: random.pick(slow).name,
      input: { order: name, wanted: random.chance(0.5) },
      priority: random.pick(priorities),
      fairness: null,
      replyTo: null,
      correlationId: null,
      idempotency: random.chance(0.5) ? { key: name, hash: random.pick(["x", "y"]) } : null,
    };
    const [theirs] = await real.submitTasks([task], { actor: "client" });
    const [ours] = memory.submitTasks([task], { actor: "client" });
    expect(ours?.kind).toBe(theirs?.kind);
    if (theirs?.kind === "created" && ours?.kind === "created") {
      tasks.push([theirs.taskId, ours.taskId]);
    }
  },

  async claimDueSteps(pair) {
    const options = claimOptions(pair);
    await sameClaims(
      pair,
      await pair.real.claimDueSteps(options),
      pair.memory.claimDueSteps(options),
    );
  },

  async applyEvents(pair) {
    const { real, memory, random } = pair;
    const pairs = Array.from({ length: 1 + random.below(4) }, () => randomIncident(pair));
    const [theirs, ours] = sides((side) => pairs.map((both) => both[side]));
    const claim = random.chance(0.4) ? { claim: claimOptions(pair) } : {};
    const options = { actor: "tester", skipLocked: random.chance(0.3), ...claim };
    const real_ = await real.applyEvents(theirs, options);
    const memory_ = memory.applyEvents(ours, options);
    const compared = sides((side) => {
      const { outcomes, tasks, obsoleteAttempts } = side === 0 ? real_ : memory_;
      return {
        outcomes: outcomes.map((outcome) =>
          outcome.applied
            ? outcome.changes.map(({ step, action, from, reason }) => {
                return [step.plan.name, action, from, step.processState, reason];
              })
            : outcome.reason,
        ),
        tasks: tasks
          .map(({ taskId, goal, processState, faultCode, paused }) => {
            return [indexOf(pair, side, taskId), goal, processState, faultCode, paused];
          })
          .toSorted(inOrder),
        obsoleteAttempts: obsoleteAttempts
          .map(({ taskId, step, attempt }) => [indexOf(pair, side, taskId), step, attempt])
          .toSorted(inOrder),
      };
    });
    expect(compared[1]).toEqual(compared[0]);
    if (real_.claims !== null || memory_.claims !== null) {
      await sameClaims(pair, real_.claims ?? [], memory_.claims ?? []);
    }
  },

  async markDispatchedSteps({ real, memory, random, claims }) {
    const marked = claims.filter(() => random.chance(0.3));
    if (marked.length === 0) return;
    await real.markDispatchedSteps(marked.map(([theirs]) => theirs));
    memory.markDispatchedSteps(marked.map(([, ours]) => ours));
  },

  async takeUndispatchedSteps(pair) {
    const options = { relayAfter: 300_000 };
    const theirs = await pair.real.takeUndispatchedSteps(options);
    const ours = pair.memory.takeUndispatchedSteps(options);
    const [named, mine] = sides((side) =>
      (side === 0 ? theirs : ours).map((claim) => nameOfClaim(pair, side, claim)).toSorted(inOrder),
    );
    expect(mine).toEqual(named);
  },

  async undispatchSteps({ real, memory }) {
    expect(memory.undispatchSteps()).toBe(await real.undispatchSteps());
  },

  async stageDueSteps({ real, memory, advance }) {
    await advance(moment);
    const theirs = await real.stageDueSteps();
    const ours = memory.stageDueSteps();
    expect([...ours.lanes].toSorted(inOrder)).toEqual([...theirs.lanes].toSorted(inOrder));
    nearly(ours.nextIn, theirs.nextIn);
    nearly(ours.relayIn, theirs.relayIn);
  },

  async findExpired(pair) {
    const theirs = await pair.real.findExpired({ batch: 200 });
    const ours = pair.memory.findExpired({ batch: 200 });
    const [named, mine] = sides((side) => {
      const { steps, taskIds } = side === 0 ? theirs : ours;
      return {
        steps: steps
          .map(({ taskId, step, attempt }) => [indexOf(pair, side, taskId), step, attempt])
          .toSorted(inOrder),
        tasks: taskIds.map((taskId) => indexOf(pair, side, taskId)).toSorted(inOrder),
      };
    });
    expect(mine).toEqual(named);
    nearly(ours.nextIn, theirs.nextIn);
  },

  async findStalledTasks(pair) {
    const options = { after: null, untouchedFor: 60_000 };
    const theirs = await pair.real.findStalledTasks(options);
    const ours = pair.memory.findStalledTasks(options);
    const [named, mine] = sides((side) =>
      (side === 0 ? theirs : ours).taskIds
        .map((taskId) => indexOf(pair, side, taskId))
        .toSorted(inOrder),
    );
    expect(mine).toEqual(named);
    expect(ours.next).toEqual(theirs.next);
  },

  async pause({ real, memory, random }) {
    const wish = { ...because, kind: "agent", name: random.pick(["left", "right"]) } as const;
    const act = random.pick(["pause", "resume", "resume", "resume"] as const);
    expect(memory[act](wish)).toBe(await real[act](wish));
  },

  async pauseWorkflow({ real, memory, random }) {
    // Rarely, for nothing of it is claimed until it is resumed.
    if (random.chance(0.7)) return;
    const wish = { ...because, kind: "workflow", name: random.pick(slow).name } as const;
    expect(memory.pause(wish)).toBe(await real.pause(wish));
  },

  async resumeWorkflows({ real, memory }) {
    for (const name of new Set(slow.map((workflow) => workflow.name))) {
      const wish = { ...because, kind: "workflow", name } as const;
      expect(memory.resume(wish)).toBe(await real.resume(wish));
    }
  },

  async applyPauses({ real, memory }) {
    expect(memory.applyPauses()).toBe(await real.applyPauses());
  },

  async countStepsInFlight({ real, memory }) {
    for (const lockedBy of ["scheduler", "another"]) {
      const theirs = await real.countStepsInFlight({ lockedBy });
      const ours = memory.countStepsInFlight({ lockedBy });
      expect(ours.toSorted(inOrder)).toEqual(theirs.toSorted(inOrder));
    }
  },

  async loadCalls(pair) {
    const [theirs, ours] = pair.random.pick(pair.tasks);
    const rows = await pair.real.loadCalls({ taskIds: [theirs] });
    const [named, mine] = [rows, pair.memory.loadCalls({ taskIds: [ours] })].map((calls) =>
      calls.map(({ taskId: _own, ...call }) => call).toSorted(inOrder),
    );
    expect(mine).toEqual(named);
  },

  async loadValues(pair) {
    const [theirs, ours] = pair.random.pick(pair.tasks);
    const names = [null, "a", "b", "c", "a:undo"].filter(() => pair.random.chance(0.7));
    const refs = (taskId: string) => names.map((name) => ({ taskId, name }));
    const found = (await pair.real.loadValues(refs(theirs))).get(theirs);
    expect(pair.memory.loadValues(refs(ours)).get(ours)).toEqual(found);
  },

  advance: ({ advance }) => advance(jump),
};

/** By what they say as JSON. */
function inOrder(one: unknown, other: unknown): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : Number(a > b);
}

const sides = <T>(of: (side: Side) => T): readonly [T, T] => [of(0), of(1)];

const indexOf = ({ tasks }: Pair, side: Side, taskId: string): number =>
  tasks.findIndex((pair) => pair[side] === taskId);

const nameOfClaim = (pair: Pair, side: Side, { taskId, name, attempt }: ClaimedStep): string =>
  `${indexOf(pair, side, taskId)} ${name} ${attempt}`;

function claimOptions({ random }: Pair) {
  const slots = random.pick([0, 1, 2, 500]);
  const most = slots + random.pick([0, 1, 500]);
  const lanes = random.pick([["left"], ["right"], ["left", "right"]]);
  return {
    lockedBy: "scheduler",
    capacity: lanes.map((lane) => ({ lane, slots, most })),
    relayAfter: 300_000,
  };
}

async function sameClaims(
  pair: Pair,
  theirs: readonly ClaimedStep[],
  ours: readonly ClaimedStep[],
): Promise<void> {
  const byName = (side: Side, claims: readonly ClaimedStep[]) =>
    new Map(claims.map((claim) => [nameOfClaim(pair, side, claim), claim]));
  const named = byName(0, theirs);
  const mine = byName(1, ours);
  expect([...mine.keys()].toSorted(inOrder)).toEqual([...named.keys()].toSorted(inOrder));
  for (const [name, claim] of mine) {
    const other = named.get(name)!;
    expect(claim.startBy - claim.now).toBeCloseTo(other.startBy - other.now, 0);
    expect(claim.completeBy - claim.now).toBeCloseTo(other.completeBy - other.now, 0);
    const { lane, workflow, keyGeneration, taskInput } = other;
    const same = { lane, workflow, keyGeneration, taskInput };
    expect(claim).toMatchObject(same);
    pair.claims.push([other, claim]);
  }
}

/** The same for both, each with its own ids and tokens: about an attempt that was or about none. */
function randomIncident(pair: Pair): readonly [ReportedTaskEvent, ReportedTaskEvent] {
  const { random, tasks, claims } = pair;
  // Rather of late: what was claimed long ago is over.
  const recent = claims.slice(-6);
  const claim = recent.length > 0 && random.chance(0.85) ? random.pick(recent) : null;
  const task = random.chance(0.05) ? noise : random.pick(tasks);
  const stale = random.chance(0.1) ? 1 : 0;
  const wrongToken = random.chance(0.1);
  const agent = random.chance(0.1) ? "nobody" : null;
  const kind = random.below(claim === null ? 8 : 18);
  const retryAfter = random.pick([null, null, 600_000, 8e15, 1e308]);
  const cause = {
    transient: random.chance(0.7),
    attempted: random.chance(0.7),
    effect: random.pick(["none", "unknown"] as const),
  };
  const step = random.pick(["a", "b", "c", "a:undo", "b:undo"]);
  const attempt = random.below(4);
  const inputChanged = random.chance(0.5);
  return sides((side) => {
    const taskId = claim === null ? task[side]! : claim[side].taskId;
    if (claim === null) return ofTask(kind, taskId, { step, attempt, inputChanged });
    const ref = {
      step: claim[side].name,
      attempt: claim[side].attempt + stale,
      token: wrongToken ? noise[1]! : claim[side].token,
    };
    const from = { ...ref, agent: agent ?? claim[side].lane };
    if (kind < 2) return ofTask(kind, taskId, { step, attempt, inputChanged });
    if (kind < 9)
      return { taskId, event: { kind: "completed", ...from }, output: { id: ref.step } };
    if (kind < 12) {
      const failed = { code: "test.failed", retryAfter, ...cause, ...from };
      return { taskId, event: { kind: "failed", ...failed }, faultDetail: "it failed" };
    }
    if (kind === 12) return { taskId, event: { kind: "stopped", effect: cause.effect, ...from } };
    if (kind === 13) return { taskId, event: { kind: "expired", ...ref } };
    if (kind === 14) return { taskId, event: { kind: "neverStarted", ...ref } };
    if (kind > 15) return { taskId, event: { kind: "retryRequested", step: ref.step } };
    return { taskId, event: { kind: "parked", code: "test.parked", ...ref } };
  });
}

function ofTask(
  kind: number,
  taskId: string,
  failed: { readonly step: string; readonly attempt: number; readonly inputChanged: boolean },
): ReportedTaskEvent {
  const { step, attempt, inputChanged } = failed;
  switch (kind) {
    case 0:
      return { taskId, event: { kind: "resubmitted", step, attempt, inputChanged } };
    case 1:
      return { taskId, event: { kind: "resolved", step, attempt }, output: { id: "by hand" } };
    case 2:
      return { taskId, event: { kind: "undoRequested", code: "test.undo" } };
    case 3:
      return { taskId, event: { kind: "paused" } };
    case 4:
      return { taskId, event: { kind: "resumed" } };
    case 5:
      return { taskId, event: { kind: "retryRequested", step } };
    case 6:
      return { taskId, event: { kind: "limitPassed" } };
    default:
      return { taskId, event: { kind: "replanned" } };
  }
}

/** Either there is none, or they lie within what a test run takes. */
function nearly(ours: number | null, theirs: number | null): void {
  expect(ours === null).toBe(theirs === null);
  if (ours !== null && theirs !== null) expect(Math.abs(ours - theirs)).toBeLessThan(60_000);
}

/** All that both hold of every task: how it stands, and how it came to that. */
async function sameTasks(pair: Pair): Promise<void> {
  for (const [theirId, ourId] of pair.tasks) {
    const theirs = (await pair.real.findTask({ taskId: theirId, tenant: "default" }))!;
    const { task, version, outputs } = pair.memory.tasks.get(ourId)!;
    expect({
      goal: task.goal,
      processState: task.processState,
      version,
      faultCode: task.faultCode,
      isPaused: task.paused,
      steps: [...task.steps.values()]
        .map(({ plan, processState, attempt, failureCount, requeueCount, faultCode }) => {
          const output = outputs.get(plan.name) ?? null;
          const { name } = plan;
          return { name, processState, attempt, failureCount, requeueCount, faultCode, output };
        })
        .toSorted(inOrder),
    }).toEqual({
      goal: theirs.goal,
      processState: theirs.processState,
      version: theirs.version,
      faultCode: theirs.faultCode,
      isPaused: theirs.paused !== null,
      steps: theirs.steps
        .map(({ name, processState, attempt, failureCount, requeueCount, faultCode, output }) => {
          return { name, processState, attempt, failureCount, requeueCount, faultCode, output };
        })
        .toSorted(inOrder),
    });
    const history = await pair.real.findEvents({ taskId: theirId });
    expect(
      pair.memory.history
        .filter(({ taskId }) => taskId === ourId)
        .map(({ step, action, from, to, attempt, actor, reason }) => {
          return { step, action, from, to, attempt, actor, reason };
        }),
    ).toEqual(
      history.map(({ step, action, fromState: from, toState: to, attempt, actor, reason }) => {
        return { step, action, from, to, attempt, actor, reason };
      }),
    );
  }
  expect(await pair.real.findInvariantViolations({ batch: 10 })).toEqual([]);
}
