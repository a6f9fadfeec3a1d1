import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { eventFor, type Happening } from "../test/random-events.ts";
import { decide } from "./decide.ts";
import { laneOf } from "./due-order.ts";
import type { Step } from "./step.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { agentsOfLane, poolName } from "./workflow-plan.ts";

const agents = ["north", "south", "west"];
const pooled = { agent: "north", agents } as const;

/** Two steps of one pool. */
const definition = ({ sharesKeys }: { readonly sharesKeys: boolean }) => ({
  ...definitionOf([
    { name: "a", ...pooled, coolDown: { wait: 10_000, times: null } },
    { name: "b", ...pooled, onFailure: "halt" },
  ]),
  remotes: Object.fromEntries(
    agents.map((agent) => [agent, { service: "compass", sharesKeys }] as const),
  ),
});

/**
 * Kinds of happenings, rather those that end an attempt without an effect: after others a step has
 * no choice any more.
 */
const kinds: readonly Happening["kind"][] = [
  ...(["claim", "claim", "claim", "claim", "claim", "claim", "claim", "claim"] as const),
  ...(["breakerOpen", "breakerOpen", "breakerOpen", "neverStarted", "neverStarted"] as const),
  ...(["fail", "failForGood", "failWithoutEffect", "complete", "expire", "stop", "park"] as const),
  ...(["resubmit", "resolve", "undo", "replan", "pause", "resume", "retryNow"] as const),
];

const anyPoolHappening = fc.record({
  happening: fc.record({
    kind: fc.constantFrom(...kinds),
    pick: fc.nat(),
    confirmed: fc.boolean(),
  }),
  choice: fc.nat(),
  isResent: fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0),
  isRepeated: fc.constantFrom(true, false, false, false, undefined),
  isUnsent: fc.boolean(),
  fromOther: fc.integer({ min: 0, max: 9 }),
});
type PoolHappening = typeof anyPoolHappening extends fc.Arbitrary<infer T> ? T : never;

/**
 * Which Agents may have done something for a step, or for the undo of one; by the name of the step.
 */
type Doers = Map<string, Set<string>>;

/** Whether the end of an attempt says for certain that its Agent did nothing. */
function isConclusive(event: TaskEvent, { isResent }: PoolHappening): boolean {
  if (isResent) return false;
  if (event.kind === "neverStarted") return event.unsent === true;
  if (event.kind !== "failed" || event.effect !== "none") return false;
  return event.attempted ? event.redelivered !== true : event.redelivered === false;
}

function withDetails(event: TaskEvent, step: Step | undefined, drawn: PoolHappening): TaskEvent {
  const { choice, isRepeated, isUnsent, fromOther } = drawn;
  if (event.kind === "claimed" && step !== undefined) {
    const members = agentsOfLane(laneOf(step));
    return { ...event, agent: members[choice % members.length] ?? "" };
  }
  if (event.kind === "neverStarted") return { ...event, unsent: isUnsent };
  if (event.kind !== "failed" && event.kind !== "completed") return event;
  const isOfOther = fromOther === 0 && step?.agent != null;
  const agent = isOfOther ? agents.find((one) => one !== step.agent) : step?.agent;
  const from = agent == null ? event : { ...event, agent };
  return from.kind === "completed" || isRepeated === undefined
    ? from
    : { ...from, redelivered: isRepeated };
}

function asDrawn(task: Task, name: string, isResent: boolean): Task {
  const step = task.steps.get(name);
  if (step?.processState !== "processing") return task;
  return { ...task, steps: new Map(task.steps).set(name, { ...step, resent: isResent }) };
}

const nameIn = (event: TaskEvent | null): string =>
  event !== null && "step" in event ? event.step : "";

/** Plays events, and calls back before each claim. */
function play(
  sharesKeys: boolean,
  drawn: readonly PoolHappening[],
  onClaim: (step: Step, doers: Doers) => void,
): void {
  let task = newTask(definition({ sharesKeys }));
  const doers: Doers = new Map();
  const add = (name: string, agent: string) =>
    doers.set(name, new Set([...(doers.get(name) ?? []), agent]));
  drawn.forEach((one, index) => {
    const found = eventFor(task, one.happening);
    const name = nameIn(found);
    const ready = asDrawn(task, name, one.isResent);
    const step = ready.steps.get(name);
    if (found === null) return;
    const event = withDetails(found, step, one);
    const decision = decide(ready, event, at(noon + (index + 1) * 70_000));
    if (event.kind === "claimed" && decision.applied && step !== undefined) onClaim(step, doers);
    if (decision.applied && "token" in event && event.kind !== "claimed" && step?.agent != null) {
      if (!isConclusive(event, one)) add(name, step.agent);
    }
    if (event.kind === "completed" && decision.applied) expect(event.agent).toBe(step?.agent);
    // An attempt that is not over may do anything.
    if (decision.applied) task = decision.task;
  });
}

const anyPlay = fc.array(anyPoolHappening, { maxLength: 40, size: "max" });

test("two Agents that share no keys never have a step of which the first may have had an effect", () => {
  let moved = 0;
  let pinned = 0;
  fc.assert(
    fc.property(anyPlay, (drawn) => {
      play(false, drawn, (step, doers) => {
        const { name, undoes } = step.plan;
        const before = new Set([...(doers.get(name) ?? []), ...(doers.get(undoes ?? "") ?? [])]);
        const lane = laneOf(step);
        expect(before.size).toBeLessThanOrEqual(1);
        if (before.size > 0) expect([lane]).toEqual([...before]);
        else if (step.attempt > 0) expect(lane).toBe(poolName(agents));
        if (before.size > 0) pinned += 1;
        else if (step.attempt > 0) moved += 1;
      });
    }),
    { numRuns: 3_000 },
  );
  // Otherwise there was nothing to see.
  expect(Math.min(moved, pinned)).toBeGreaterThan(200);
});

test("Agents that share keys may have any attempt of a step, and its undo", () => {
  fc.assert(
    fc.property(anyPlay, (drawn) => {
      play(true, drawn, (step) => expect(laneOf(step)).toBe(poolName(agents)));
    }),
  );
});
