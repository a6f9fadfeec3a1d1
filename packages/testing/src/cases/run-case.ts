import { type HostedAgent, host, type StepContext } from "@holdfast/agent";
import { compileSignal, compileTaskInput, StepReply, schemaCompiler } from "@holdfast/contracts";
import {
  agentsOfStep,
  callsOf,
  isCall,
  isFinished,
  type Json,
  parseDuration,
  signalsOf,
  undoNameOf,
  type WorkflowDefinition,
} from "@holdfast/domain";
import {
  type Agent,
  contract,
  type Operation,
  type Operations,
  type Schema,
} from "@holdfast/workflow";
import type { HandlerCall } from "../call-log.ts";
import { calmWorld, storeIn } from "../calm-world.ts";
import { approvalsIn, faultsOfForm } from "../decide-step.ts";
import { passWaits } from "../pass-waits.ts";
import { callRecorder } from "../record-calls.ts";
import { type MemoryBroker, memoryBroker } from "../simulator/broker/memory-broker.ts";
import type { StoredTask } from "../simulator/store/memory-task.ts";
import type { World } from "../simulator/world.ts";
import { startProcesses } from "../start-processes.ts";
import { submitTask } from "../submit-task.ts";
import { type TaskView, viewOf } from "../task-view.ts";
import type { Case, CaseDecision, CaseFault, CaseSignal } from "./case.ts";
import { compare } from "./compare.ts";
import { pathsTaken } from "./coverage.ts";
import { openOutside } from "./outside.ts";
import { listOf, placeAt } from "./read-parts.ts";
import { playScript, type Script } from "./script.ts";

/**
 * A schema that takes anything: what a case may say was held to the contracts of the definition
 * before.
 */
const anything: Schema<never> = {
  "~standard": {
    version: 1,
    vendor: "holdfast",
    validate: (value: unknown) => ({ value: value as never }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
};

/** The Agents of a workflow, made of its definition: their handlers do what the script says. */
function scriptedAgents(
  definition: WorkflowDefinition,
  script: Pick<Script, "perform">,
): readonly HostedAgent[] {
  const perform = (_: unknown, context: StepContext) => script.perform(context.step, context);
  const named = callsOf(definition).flatMap((step) =>
    agentsOfStep(step).map((agent) => ({ ...step, agent })),
  );
  const byAgent = Map.groupBy(named, ({ agent }) => agent);
  return [...byAgent].map(([name, mine]) => {
    const operations: Record<string, Operation> = {};
    const handlers: Record<string, (input: unknown, context: StepContext) => Promise<unknown>> = {};
    for (const { operation, undo } of mine) {
      operations[operation] ??= { input: anything, output: anything };
      handlers[operation] = perform;
      if (undo === null) continue;
      handlers[undo.operation] = perform;
      const isNamed = Object.values(operations).some((one) => one.undo === undo.operation);
      if (isNamed) continue;
      // One operation may be undone in two ways by two steps: each way needs an operation that
      // names it.
      const free =
        operations[operation].undo === undefined ? operation : `undone by ${undo.operation}`;
      operations[free] = { input: anything, output: anything, undo: undo.operation };
      handlers[free] ??= perform;
    }
    const declared = { [contract]: { name, operations } } as unknown as Agent<Operations>;
    return host(declared, handlers as never);
  });
}

/** How a case went. */
export interface CaseResult {
  readonly name: string;
  readonly workflow: string;
  /** What was not as expected, a line each; empty: the case passed. */
  readonly failures: readonly string[];
  readonly task: TaskView;
  /** The calls of handlers, in order. */
  readonly calls: readonly HandlerCall[];
  /** What happened, one line each, with the virtual milliseconds at which it did. */
  readonly story: readonly string[];
  /** The paths of the workflow that the case has taken: see `coverageOf`. */
  readonly paths: ReadonlySet<string>;
}

/** A case that cannot be run: it does not fit its workflow. */
export class CaseMismatch extends Error {
  readonly faults: readonly CaseFault[];
  constructor(faults: readonly CaseFault[]) {
    super(faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join("\n"));
    this.faults = faults;
  }
}

/**
 * Runs a case in this process: the real Scheduler, Supervisor and Agents over a store and a broker
 * in memory, in virtual time, with handlers that do what the case says. Throws a `CaseMismatch` if
 * the case names a step that there is not, or gives the workflow or a step what its contract
 * refuses.
 */
export async function runCase(definition: WorkflowDefinition, one: Case): Promise<CaseResult> {
  const faults = checkCase(definition, one);
  if (faults.length > 0) throw new CaseMismatch(faults);

  const world = calmWorld();
  const { timeline, story } = world;
  const store = storeIn(world);
  store.registerWorkflow(definition);
  const script = playScript(one, { definition, timeline });
  const recorder = callRecorder(world, () => null);
  const agents = scriptedAgents(definition, script).map((agent) => recorder.record(agent));
  const broker = lateReplies(
    world,
    memoryBroker(world, { agents: agents.map(({ name }) => name), watcher: unwatched }),
    script,
  );
  const injector = {
    kills: (_agent: string, at: string, steps: readonly string[]) =>
      at === "agent.worked" && script.crashes(steps),
    failureOf: () => null,
    broker,
  };
  startProcesses({ world, store, injector, agents });
  const workflow = { name: definition.name as `${string}.v${number}`, input: anything, definition };
  const { submittedBy } = one;
  const taskId = await submitTask(workflow, one.input as never, { store, broker, submittedBy });

  const stored = () => store.tasks.get(taskId) as StoredTask;
  const until = parseDuration(one.expect.within);
  const outside = openOutside(one, { store, timeline, taskId, submittedBy, definition });
  await timeline.run(() => {
    if (hasEnded(stored()) || timeline.now > until) return true;
    passWaits(timeline, stored(), Math.min(outside.act(), until));
    return false;
  });
  const { calls } = recorder;
  const isOver = hasEnded(stored());
  const wrong = outside.end();
  const task = viewOf(stored(), store.history, definition);
  const late = isOver
    ? []
    : [`the task is still ${task.state} after ${one.expect.within} of virtual time`];
  return {
    name: one.name,
    workflow: definition.name,
    failures: [...late, ...wrong, ...compare(one.expect, { task, calls })],
    task,
    calls,
    story,
    paths: pathsTaken(definition, { task, stored: stored(), sent: outside.sent }),
  };
}

const nothing = (): void => {};
const unwatched = { stored: nothing, waiting: nothing, taken: nothing, acknowledged: nothing };

/** A task that is `halted` waits for an operator. */
const hasEnded = ({ task }: StoredTask): boolean =>
  isFinished(task) || task.processState === "halted";

/** A broker that holds up the replies that the script wants late. */
function lateReplies(
  world: World,
  broker: MemoryBroker,
  script: Pick<Script, "heldFor">,
): MemoryBroker {
  return {
    ...broker,
    store(message) {
      if (message.type !== StepReply.type) return broker.store(message);
      const { step, attempt } = StepReply.decode(message.body);
      const ms = script.heldFor(step, attempt);
      if (ms === 0) return broker.store(message);
      world.tell("test", () => `holds up the reply to ${step}`);
      world.timeline.after(ms, () => void broker.store(message));
      return true;
    },
  };
}

/**
 * What is wrong with a case of this workflow: names of steps, the input, and replies that break a
 * contract.
 */
function checkCase(definition: WorkflowDefinition, one: Case): readonly CaseFault[] {
  const faults: CaseFault[] = [];
  const place = placeAt(faults);
  for (const { pointer, detail } of compileTaskInput(definition)(one.input)) {
    faults.push({
      pointer: `/input${pointer}`,
      detail: detail.replace(/^unknown field.*/, "is no field of the input"),
    });
  }
  const names = stepNames(definition);
  const check = (name: string, at: ReturnType<typeof placeAt>, known = names): void => {
    if (!known.includes(name))
      at.wrong(`${definition.name} has no step ${name}; it has ${listOf(known)}`);
  };
  for (const [name, behaviours] of Object.entries(one.steps)) {
    const at = place.at("steps").at(name);
    check(name, at);
    behaviours.forEach((behaviour, index) => {
      if (behaviour.kind !== "reply" && behaviour.kind !== "late") return;
      const wrong = faultOfReply(definition, name, behaviour.output);
      if (wrong !== null) at.at(index).at(behaviour.kind).wrong(wrong);
    });
  }
  faults.push(...one.signals.flatMap((signal, index) => faultsOfSignal(definition, signal, index)));
  faults.push(...one.decisions.flatMap((said, index) => faultsOfDecision(definition, said, index)));
  const expected = place.at("expect");
  for (const name of Object.keys(one.expect.steps)) check(name, expected.at("steps").at(name));
  const calls = callsOf(definition).map(({ name }) => name);
  const undos = callsOf(definition).flatMap(({ name, undo }) => (undo === null ? [] : [name]));
  one.expect.calls?.forEach((name, index) => check(name, expected.at("calls").at(index), calls));
  one.expect.undos?.forEach((name, index) => check(name, expected.at("undos").at(index), undos));
  return faults;
}

/** Why no step would wait for such a signal, or what of its payload breaks its schema. */
function faultsOfSignal(
  definition: WorkflowDefinition,
  { name, payload }: CaseSignal,
  index: number,
): readonly CaseFault[] {
  const check = compileSignal(definition, name);
  const at = `/signals/${index}`;
  if (check === null) {
    const known = listOf(signalsOf(definition)) || "none";
    const detail = `no step of ${definition.name} waits for a signal ${name}; it has ${known}`;
    return [{ pointer: `${at}/name`, detail }];
  }
  return check(payload).map(({ pointer, detail }) => ({
    pointer: `${at}/payload${pointer}`,
    detail: detail.replace(/^unknown field.*/, "is no field of the signal"),
  }));
}

/** Why people would not decide such a step, or what is filled in that breaks its form. */
function faultsOfDecision(
  definition: WorkflowDefinition,
  decision: CaseDecision,
  index: number,
): readonly CaseFault[] {
  const at = `/decisions/${index}`;
  const known = approvalsIn(definition);
  if (!known.includes(decision.step)) {
    const detail = `${definition.name} has no step ${decision.step} that people decide; it has ${listOf(known) || "none"}`;
    return [{ pointer: `${at}/step`, detail }];
  }
  return faultsOfForm(definition, decision).map(({ pointer, detail }) => ({
    pointer: `${at}/form${pointer}`,
    detail: detail.replace(/^unknown field.*/, "is no field of the form"),
  }));
}

const stepNames = ({ steps }: WorkflowDefinition): readonly string[] =>
  steps.flatMap((step) =>
    isCall(step) && step.undo !== null ? [step.name, undoNameOf(step.name)] : [step.name],
  );

/** Why the Agent of a step would not return this; null: it would. An undo returns nothing. */
function faultOfReply(definition: WorkflowDefinition, name: string, output: Json): string | null {
  const step = callsOf(definition).find((one) => one.name === name);
  const schema = step && definition.outputs?.[`${step.agent}.${step.operation}`];
  if (step === undefined || schema === undefined) return null;
  const [error] = schemaCompiler({ allErrors: false })(schema).check(output).errors;
  if (error === undefined) return null;
  return `is not what ${step.agent}.${step.operation} returns: ${error.instancePath} ${error.message ?? "it breaks the contract"}`.replace(
    "  ",
    " ",
  );
}
