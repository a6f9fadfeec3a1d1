import { expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { decide } from "./decide.ts";
import { laneOf } from "./due-order.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { agentsOfLane } from "./workflow-plan.ts";

const agents = ["psp", "psp-eu"];
const remote = (sharesKeys: boolean) => ({
  remotes: {
    psp: { service: "psp", sharesKeys },
    "psp-eu": { service: "psp", sharesKeys },
  },
});
const taskOf = (sharesKeys = false): Task =>
  newTask({
    ...definitionOf([{ name: "a", agent: "psp", agents, onFailure: "halt" }]),
    ...remote(sharesKeys),
  });

let passed = 0;

/** Long after one another, so that every limit and delay is over. */
function after(task: Task, ...events: readonly TaskEvent[]): Task {
  let current = task;
  for (const event of events) {
    passed += 70_000;
    const decision = decide(current, event, at(noon + passed));
    if (!decision.applied) throw new Error(`${event.kind} was rejected: ${decision.reason}`);
    current = decision.task;
  }
  return current;
}

const lane = (task: Task, step = "a"): string => laneOf(task.steps.get(step)!);
const claimed = (agent: string, step = "a"): TaskEvent => ({
  kind: "claimed",
  step,
  by: "s",
  token: "t",
  agent,
});
const ref = (attempt = 1, step = "a") => ({ step, attempt, token: "t" });
const failed = (
  changes: Partial<Extract<TaskEvent, { kind: "failed" }>>,
): TaskEvent & { kind: "failed" } => ({
  kind: "failed",
  code: "psp.down",
  transient: true,
  attempted: true,
  effect: "unknown",
  retryAfter: null,
  ...ref(),
  ...changes,
});

test.each<[string, TaskEvent, string]>([
  ["an attempt that may have had an effect", failed({}), "psp-eu"],
  ["a silent attempt", { kind: "expired", ...ref() }, "psp-eu"],
  ["a request that came back from the queue", { kind: "neverStarted", ...ref() }, "psp-eu"],
  ["a request that no queue had", { kind: "neverStarted", unsent: true, ...ref() }, "psp+psp-eu"],
  ["an attempt without effect", failed({ effect: "none" }), "psp+psp-eu"],
  [
    "a refusal by an open breaker",
    failed({ attempted: false, effect: "none", redelivered: false }),
    "psp+psp-eu",
  ],
  [
    "a refusal of a request that was delivered before",
    failed({ attempted: false, effect: "none", redelivered: true }),
    "psp-eu",
  ],
])("after %s a step of a pool waits for the right Agents", (_, end, expected) => {
  const events: TaskEvent[] = [claimed("psp-eu"), end];
  // Its time is over when it is silent.
  const task = after(taskOf(), ...events);
  expect(lane(task)).toBe(expected);
});

test("a step of a pool whose Agents share keys goes back to the pool after any end", () => {
  expect(lane(after(taskOf(true), claimed("psp"), failed({})))).toBe("psp+psp-eu");
});

test("a step that an operator resubmits stays with its Agent", () => {
  const task = after(taskOf(), claimed("psp-eu"), failed({ transient: false }), {
    kind: "resubmitted",
    step: "a",
    attempt: 1,
    inputChanged: true,
  });
  expect(lane(task)).toBe("psp-eu");
  expect(task.steps.get("a")?.keyGeneration).toBe(0);
});

test("a step is undone by the Agent that did it, and by any where they share keys", () => {
  const completed: TaskEvent = { kind: "completed", ...ref() };
  const undone = (sharesKeys: boolean) => {
    const two = newTask({
      ...definitionOf([{ name: "a", agent: "psp", agents }, { name: "b" }]),
      ...remote(sharesKeys),
    });
    const undo: TaskEvent = { kind: "undoRequested", code: "x.y" };
    return after(two, claimed("psp-eu"), completed, undo);
  };
  expect(lane(undone(false), "a:undo")).toBe("psp-eu");
  expect(lane(undone(true), "a:undo")).toBe("psp+psp-eu");
});

test("an undo that failed without effect stays with the Agent that did the step", () => {
  const undo: TaskEvent = { kind: "undoRequested", code: "x.y" };
  const noEffect = failed({ effect: "none", ...ref(1, "a:undo") });
  const task = after(taskOf(), claimed("psp-eu"), failed({ transient: false }), undo);
  expect(lane(after(task, claimed("psp-eu", "a:undo"), noEffect), "a:undo")).toBe("psp-eu");
});

test("only the Agent that was chosen may reply, and not another of its pool", () => {
  const task = after(taskOf(), claimed("psp-eu"));
  const reply = (agent: string) =>
    decide(task, { kind: "completed", ...ref(), agent }, at(noon + 1));
  expect(reply("psp")).toEqual({ applied: false, reason: "wrong_agent" });
  expect(reply("psp-eu").applied).toBe(true);
});

test("all Agents of a pool get the same idempotency key", () => {
  const { plan } = taskOf().steps.get("a")!;
  expect(idempotencyKey("task", plan, 0)).toBe("task:a:do");
});

test("a lane names the Agents that may take its steps", () => {
  expect(agentsOfLane("psp+psp-eu")).toEqual(agents);
  expect(agentsOfLane("psp")).toEqual(["psp"]);
});
