import type { HostedAgent } from "@holdfast/agent";
import { compileSignal } from "@holdfast/contracts";
import {
  callsOf,
  isCall,
  isFinished,
  type Json,
  undoNameOf,
  type Vote,
  type WorkflowDefinition,
} from "@holdfast/domain";
import {
  type Duration,
  type InputOf,
  type Schema,
  toMilliseconds,
  type Workflow,
} from "@holdfast/workflow";
import type { HandlerCall } from "./call-log.ts";
import { type CalmWorld, calmWorld, storeIn } from "./calm-world.ts";
import { type DecidedTask, decideStep, faultsOfForm } from "./decide-step.ts";
import { faultInjector } from "./fault-injector.ts";
import type { InjectedFault } from "./faults.ts";
import { passWaits } from "./pass-waits.ts";
import { type CallRecorder, callRecorder } from "./record-calls.ts";
import { memoryBroker } from "./simulator/broker/memory-broker.ts";
import type { StoredTask } from "./simulator/store/memory-task.ts";
import { startProcesses } from "./start-processes.ts";
import { submitTask } from "./submit-task.ts";
import { type TaskView, viewOf } from "./task-view.ts";

export interface TestOptions<Input> {
  readonly input: Input;
  readonly faults?: readonly InjectedFault[];
  /** The id of who submits the task; `the test` unless said otherwise. */
  readonly submittedBy?: string;
  /**
   * Real milliseconds for which virtual time waits for a handler that does real I/O; 1,000 unless
   * said otherwise. A handler that waits longer, such as for its signal to abort, waits in virtual
   * time.
   */
  readonly timeout?: number;
}

/** A task in a simulated Holdfast: nothing happens but in `finished` and `advance`. */
export interface TestRun {
  /** How the task stands now. */
  readonly task: TaskView;
  /** The calls of handlers so far, in order. */
  readonly calls: readonly HandlerCall[];
  /** What happened so far, one line each: print it when a test fails. */
  readonly story: readonly string[];
  /**
   * Lets virtual time pass until the task has ended or halted. Throws when it has not within a
   * virtual day, or within the time that is given.
   */
  finished(options?: { readonly within?: Duration }): Promise<TaskView>;
  /** Lets so much virtual time pass, such as `10m`. */
  advance(duration: Duration): Promise<void>;
  /**
   * Sends the task a signal, whether its step waits already or not. A step takes it once time
   * passes. Throws where it is refused. The same `id` again is the same signal.
   */
  signal(name: string, payload: Json, options?: { readonly id?: string }): void;
  /**
   * Decides a step as one of its audience, whose id is `by`. A step that is decided by it ends once
   * time passes. Throws where it is refused.
   */
  decide(step: string, decision: TestDecision): void;
}

/** What one of an audience says about a step. */
export interface TestDecision {
  /** The id of who decides. */
  readonly by: string;
  readonly decision: Vote;
  /** Why; none unless said otherwise. */
  readonly reason?: string;
  /** What is filled in, by the form of the step; nothing unless said otherwise. */
  readonly form?: Json;
}

/**
 * Runs a workflow with its handlers in this process: the real Scheduler, Supervisor and Agents,
 * over a store and a broker in memory and a clock that is virtual, so an hour takes milliseconds.
 * The input is checked first, as at a submission. Throws when an Agent of the workflow is missing,
 * or a fault names something that is not there.
 */
export async function testWorkflow<S extends Schema>(
  workflow: Workflow<S>,
  agents: readonly HostedAgent[],
  { input, faults = [], submittedBy = "the test", timeout = 1_000 }: TestOptions<InputOf<S>>,
): Promise<TestRun> {
  const { definition } = workflow;
  checkTest(definition, { agents, faults });

  const world = calmWorld();
  const { timeline, story } = world;
  const memory = storeIn(world);
  memory.registerWorkflow(definition);
  const broker = memoryBroker(world, {
    agents: agents.map(({ name }) => name),
    watcher: unwatched,
  });
  const injector = faultInjector(world, faults, broker);
  const recorder = callRecorder(world, (step) => injector.failureOf(step));
  startProcesses({
    world,
    store: memory,
    injector,
    agents: agents.map((agent) => recorder.record(agent)),
  });
  const taskId = await submitTask(workflow, input, { store: memory, broker, submittedBy });

  const stored = (): StoredTask => memory.tasks.get(taskId) as StoredTask;
  const view = (): TaskView => viewOf(stored(), memory.history, definition);
  const time = virtualTime(timeline, { recorder, timeout });

  return {
    get task() {
      return view();
    },
    calls: recorder.calls,
    story,
    async advance(duration) {
      await time.pass(toMilliseconds(duration, "advance"));
    },
    ...fromOutside({ store: memory, taskId, submittedBy, definition }),
    async finished({ within = "1d" } = {}) {
      const until = timeline.now + toMilliseconds(within, "within");
      const isOver = () => {
        passWaits(timeline, stored(), until);
        return hasEnded(stored()) || timeline.now > until;
      };
      await time.passUntil(isOver);
      if (hasEnded(stored())) return view();
      throw new Error(unfinished(view(), within, story));
    },
  };
}

/** What comes to the task of a test from outside. */
const fromOutside = (task: DecidedTask): Pick<TestRun, "signal" | "decide"> => {
  const { store, taskId, definition } = task;
  return {
    signal(name, payload, { id = `signal-${store.listSignals({ taskId }).length + 1}` } = {}) {
      const problem = problemOfSignal(definition, name, payload);
      if (problem !== null) throw new Error(problem);
      const signal = { name, id, payload, sentBy: "the test" };
      const [sent] = store.sendSignals([{ taskId, workflow: definition.name, ...signal }]);
      if (sent?.kind === "refused") throw new Error(`The signal ${name} is refused: ${sent.code}`);
    },
    decide(step, { reason = null, form = null, ...said }) {
      const decision = { ...said, step, reason, form };
      const [fault] = faultsOfForm(definition, decision);
      if (fault !== undefined) {
        throw new Error(`The form of ${step} at ${fault.pointer || "/"} ${fault.detail}`);
      }
      const code = decideStep(task, decision);
      if (code !== null) throw new Error(`The decision about ${step} is refused: ${code}`);
    },
  };
};

/** Why no step could take a signal; null: one can. */
function problemOfSignal(
  definition: WorkflowDefinition,
  name: string,
  payload: Json,
): string | null {
  const check = compileSignal(definition, name);
  if (check === null) return `No step of ${definition.name} waits for a signal ${name}`;
  const [fault] = check(payload);
  return fault === undefined
    ? null
    : `The payload of ${name} at ${fault.pointer || "/"} ${fault.detail}`;
}

const nothing = (): void => {};
const unwatched = { stored: nothing, waiting: nothing, taken: nothing, acknowledged: nothing };

/** A task that is `halted` waits for an operator. */
const hasEnded = ({ task }: StoredTask): boolean =>
  isFinished(task) || task.processState === "halted";

function unfinished(task: TaskView, within: Duration, story: readonly string[]): string {
  const steps = Object.entries(task.steps).map(
    ([name, { state, attempt, failureCount }]) =>
      `  ${name}: ${state}, attempt ${attempt}, ${failureCount} failures`,
  );
  return [
    `The task is still ${task.state} after ${within} of virtual time. Its steps:`,
    ...steps,
    "What happened last:",
    ...story.slice(-10),
  ].join("\n");
}

/**
 * Throws when an Agent of the workflow is missing, or a fault names something that is not there.
 */
function checkTest(
  definition: WorkflowDefinition,
  {
    agents,
    faults,
  }: { readonly agents: readonly HostedAgent[]; readonly faults: readonly InjectedFault[] },
): void {
  const problems = [...missingAgents(definition, agents), ...misnamed(definition, agents, faults)];
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

const missingAgents = (
  definition: WorkflowDefinition,
  agents: readonly HostedAgent[],
): readonly string[] =>
  [...new Set(callsOf(definition).map(({ agent }) => agent))]
    .filter((wanted) => !agents.some((agent) => agent.name === wanted))
    .map(
      (wanted) =>
        `${definition.name} calls the Agent ${wanted}: add host(${wanted}, …) to the Agents`,
    );

function misnamed(
  { name, steps }: WorkflowDefinition,
  agents: readonly HostedAgent[],
  faults: readonly InjectedFault[],
): readonly string[] {
  const known = steps.flatMap((step) =>
    isCall(step) && step.undo !== null ? [step.name, undoNameOf(step.name)] : [step.name],
  );
  return faults.flatMap((fault) => [
    ...(fault.step === null || known.includes(fault.step)
      ? []
      : [`${fault.kind}: ${name} has no step ${fault.step}; its steps are ${known.join(", ")}`]),
    ...(fault.kind !== "kill" || agents.some((agent) => agent.name === fault.agent)
      ? []
      : [`kill: there is no Agent ${fault.agent}`]),
  ]);
}

interface VirtualTime {
  /** Lets time pass, and stops it while handlers run. */
  passUntil(isOver: () => boolean): Promise<void>;
  /** Lets so many virtual milliseconds pass. */
  pass(ms: number): Promise<void>;
}

/**
 * Time that passes only when a test says so. `timeout`: real milliseconds for which it waits for a
 * handler.
 */
function virtualTime(
  timeline: CalmWorld["timeline"],
  {
    recorder,
    timeout,
  }: { readonly recorder: Pick<CallRecorder, "awaited" | "nextEnd">; readonly timeout: number },
): VirtualTime {
  const passUntil = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      await timeline.run(() => isOver() || recorder.awaited > 0);
      if (recorder.awaited > 0) await recorder.nextEnd(timeout);
    }
  };
  return {
    passUntil,
    async pass(ms) {
      let isThere = false;
      timeline.after(ms, () => {
        isThere = true;
      });
      await passUntil(() => isThere);
    },
  };
}
