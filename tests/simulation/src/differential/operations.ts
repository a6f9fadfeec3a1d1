import { priorities } from "@holdfast/domain";
import { expect } from "@jest/globals";
import { agentNames } from "../workflows.ts";
import { approvalOperations, waitsForPeople } from "./approval-operations.ts";
import { breakerOperations } from "./breaker-operations.ts";
import { nearly, sameClaims } from "./compare.ts";
import { indexOf, inOrder, nameOfClaim, type Pair, sides } from "./pair.ts";
import { randomReport } from "./random-report.ts";
import { keyFor, signalOperations } from "./signal-operations.ts";
import { slow } from "./slow-workflows.ts";
import { changeVersions } from "./version-operations.ts";

/**
 * Milliseconds beyond the shortest delays. How much of them has really passed depends on the
 * machine.
 */
const moment = 1_000;
/** Milliseconds within which waits stay open. */
const aWhile = 250_000;
/** Milliseconds beyond every limit and rest. */
const jump = 2 * 60 * 60_000;

const because = { actor: "ann", reason: "the customer called" };

type Operation = (pair: Pair) => Promise<void>;

/** What is done to two stores, by name: what stands here twice, twice as often. */
export const chosenOperations = (): readonly string[] => [
  "claimDueSteps",
  "claimDueSteps",
  ...Array.from({ length: 3 }, () => "applyEvents"),
  ...Object.keys(operationsOf),
];

/** What is done to tasks that wait for signals. */
export const operationsWithSignals: readonly string[] = [
  "submitTasks",
  "claimDueSteps",
  ...Array.from({ length: 4 }, () => "applyEvents"),
  ...Array.from({ length: 7 }, () => "sendSignals"),
  "holdSignal",
  "holdSignal",
  "fireWaits",
  "fireWaits",
  "fireWaits",
  "endWaitByHand",
  "pauseTask",
  "pauseTask",
  "linger",
  "advance",
];

/** What is done to tasks that people decide about. */
export const operationsWithApprovals: readonly string[] = [
  ...Array.from({ length: 4 }, () => "submitTasks"),
  "claimDueSteps",
  "claimDueSteps",
  ...Array.from({ length: 4 }, () => "applyEvents"),
  ...Array.from({ length: 9 }, () => "recordDecision"),
  "fireWaits",
  "fireWaits",
  "fireWaits",
  "endWaitByHand",
  "pauseTask",
  "pauseTask",
  "linger",
  "advance",
];

/** What a Scheduler, a Supervisor, a client and an operator do, on both stores. */
export const operationsOf: Readonly<Record<string, Operation>> = {
  async submitTasks({ real, memory, random, tasks, workflows }) {
    const name = `order ${random.below(12)}`;
    const workflow = random.pick(workflows).name;
    const task = {
      tenant: "default",
      workflow,
      ...keyFor({ random }, workflow),
      input: { order: name, wanted: random.chance(0.5) },
      priority: random.pick(priorities),
      fairness: null,
      replyTo: null,
      correlationId: null,
      submittedBy: waitsForPeople(workflow) ? random.pick(["ann", null]) : null,
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
    const pairs = Array.from({ length: 1 + random.below(4) }, () => randomReport(pair));
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

  async confirmRequests({ real, memory, random, claims }) {
    const marked = claims.filter(() => random.chance(0.3));
    if (marked.length === 0) return;
    await real.confirmRequests(marked.map(([theirs]) => theirs));
    memory.confirmRequests(marked.map(([, ours]) => ours));
  },

  async recordAttemptSigns({ real, memory, random, claims }) {
    const signed = claims.filter(() => random.chance(0.3));
    const signs = signed.map(([theirs, ours]) => {
      const sign = {
        runningFor: random.pick([0, 1_000, 600_000_000]),
        beats: random.chance(0.5),
        progress: null,
      };
      const isStale = random.chance(0.2);
      return [theirs, ours].map(({ taskId, name: step, attempt, token, agent }) => {
        return { ...sign, taskId, step, attempt: attempt + (isStale ? 1 : 0), token, agent };
      });
    });
    await real.recordAttemptSigns(signs.flatMap(([theirs]) => theirs ?? []));
    memory.recordAttemptSigns(signs.flatMap(([, ours]) => ours ?? []));
  },

  async takeUnconfirmedSteps(pair) {
    const resendAfter = 300_000;
    const held = pair.claims.filter(() => pair.random.chance(0.3));
    const [heldByReal, heldByMemory] = sides((side) => held.map((both) => both[side]));
    const theirs = await pair.real.takeUnconfirmedSteps({ resendAfter, held: heldByReal });
    const ours = pair.memory.takeUnconfirmedSteps({ resendAfter, held: heldByMemory });
    const [named, mine] = sides((side) =>
      (side === 0 ? theirs : ours).map((claim) => nameOfClaim(pair, side, claim)).toSorted(inOrder),
    );
    expect(mine).toEqual(named);
  },

  async unconfirmSteps({ real, memory }) {
    expect(memory.unconfirmSteps()).toBe(await real.unconfirmSteps());
  },

  async stageDueSteps({ real, memory, advance }) {
    await advance(moment);
    const theirs = await real.stageDueSteps();
    const ours = memory.stageDueSteps();
    expect([...ours.lanes].toSorted(inOrder)).toEqual([...theirs.lanes].toSorted(inOrder));
    nearly(ours.nextIn, theirs.nextIn);
    nearly(ours.resendIn, theirs.resendIn);
  },

  async fireWaits(pair) {
    await pair.advance(moment);
    const round = { actor: "tester", most: 100, expected: null };
    const theirs = await pair.real.fireWaits(round);
    const ours = pair.memory.fireWaits(round);
    const [named, mine] = sides((side) => {
      const { fired, postponed, held, areUsed, obsoleteAttempts } = side === 0 ? theirs : ours;
      return {
        fired: fired
          .map(({ taskId, step }) => [indexOf(pair, side, taskId), step])
          .toSorted(inOrder),
        obsoleteAttempts: obsoleteAttempts.map(({ taskId }) => indexOf(pair, side, taskId)),
        postponed,
        held,
        areUsed,
      };
    });
    expect(mine).toEqual(named);
    nearly(ours.nextIn, theirs.nextIn);
  },

  async endWaitByHand({ real, memory, random, tasks }) {
    const [theirs, ours] = random.pick(tasks);
    const rests = ["first", "between", "beside", "under", "a"];
    const signalled = ["opening", "paid", "second", "go", "last"];
    const decided = ["release", "consent", "known", "endless"];
    const step = random.pick([...rests, ...signalled, ...decided]);
    const event = {
      kind: "waitEnded",
      step,
      by: random.pick(["operator", "deadline"] as const),
    } as const;
    const [named] = (await real.applyEvents([{ taskId: theirs, event }], { actor: "ann" }))
      .outcomes;
    const [mine] = memory.applyEvents([{ taskId: ours, event }], { actor: "ann" }).outcomes;
    expect(mine?.applied).toBe(named?.applied);
    if (named?.applied === false) expect(mine).toMatchObject({ reason: named.reason });
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
    const request = { ...because, kind: "agent", name: random.pick(agentNames) } as const;
    const act = random.pick(["pause", "resume", "resume", "resume"] as const);
    expect(memory[act](request)).toBe(await real[act](request));
  },

  async pauseWorkflow({ real, memory, random }) {
    // Rarely, for nothing of it is claimed until it is resumed.
    if (random.chance(0.7)) return;
    const request = { ...because, kind: "workflow", name: random.pick(slow).name } as const;
    expect(memory.pause(request)).toBe(await real.pause(request));
  },

  async resumeWorkflows({ real, memory }) {
    for (const name of new Set(slow.map((workflow) => workflow.name))) {
      const request = { ...because, kind: "workflow", name } as const;
      expect(memory.resume(request)).toBe(await real.resume(request));
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
    const most = 1_000_000;
    const found = (await pair.real.loadValues({ refs: refs(theirs), most })).get(theirs);
    expect(pair.memory.loadValues({ refs: refs(ours), most }).get(ours)).toEqual(found);
  },

  ...signalOperations,

  ...approvalOperations,

  ...breakerOperations,

  changeVersions,

  async pauseTask({ real, memory, random, tasks }) {
    const [theirs, ours] = random.pick(tasks);
    const event = { kind: random.pick(["paused", "resumed"] as const) };
    const [named] = (await real.applyEvents([{ taskId: theirs, event }], { actor: "ann" }))
      .outcomes;
    const [mine] = memory.applyEvents([{ taskId: ours, event }], { actor: "ann" }).outcomes;
    expect(mine?.applied).toBe(named?.applied);
  },

  linger: ({ advance }) => advance(aWhile),

  advance: ({ advance }) => advance(jump),
};

function claimOptions({ random }: Pair) {
  const slots = random.pick([0, 1, 2, 500]);
  const most = slots + random.pick([0, 1, 500]);
  const own = random.pick([["left"], ["right"], ["left", "right"]]);
  const agent = random.pick(["north", "south"]);
  return {
    lockedBy: "scheduler",
    capacity: [
      ...[...own, "north", "south"].map((lane) => ({ lane, slots, most })),
      { lane: "north+south", agent, slots, most },
      { lane: "east+west", agent: random.pick(["east", "west"]), slots, most },
    ],
    resendAfter: 300_000,
  };
}
