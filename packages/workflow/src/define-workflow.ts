import { validateDefinition } from "@holdfast/contracts";
import {
  type CallDefinition,
  ContractFault,
  canonicalJson,
  errorText,
  formatOf,
  type Json,
  type RemoteDefinition,
  type SignalDefinition,
  type StepDefinition,
  stepOfRef,
  type WaitDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { AgentContract } from "./agent.ts";
import {
  type ApproveOptions,
  type AtDeadline,
  type EndedApproval,
  toApproval,
} from "./approval.ts";
import { type Conditional, conditionOf } from "./conditions.ts";
import { type Duration, toLimit, toMilliseconds } from "./duration.ts";
import { contractsOfPool } from "./pool.ts";
import { pointerOf, pointerPart, type Ref, type ResultOf, refTo, type Template } from "./ref.ts";
import { mustNotBeRefused, refuse } from "./refusals.ts";
import { type InputOf, jsonSchemaOf, partThatIsNoJson, type Schema } from "./schema.ts";
import {
  policyOf,
  type StepDefaults,
  type StepOptions,
  undoPolicyOf,
  withDefaults,
} from "./step-options.ts";
import { toTemplate } from "./to-template.ts";

/** The name changes with every change of meaning, as that of a message does. */
export type WorkflowName = `${string}.v${number}`;

/** The places in the input of a workflow's tasks by which these share a band. */
interface FairnessOptions {
  /**
   * The key, such as a customer's id: a text or a whole number. Tasks without one are claimed in
   * the order of time.
   */
  readonly key: Ref<string> | Ref<number> | Ref<string | null> | Ref<string | undefined>;
  /** 1 to 1000: how many steps are claimed for one of a key with the weight 1. */
  readonly weight?: Ref<number> | Ref<number | null> | Ref<number | undefined>;
}

export interface WorkflowOptions<Input = unknown> {
  /**
   * Limit on the whole task: once it has passed, the task is undone. None unless said otherwise.
   */
  readonly completeWithin?: Duration;
  /** The business's noun for its tasks: with `orders` they are submitted at `POST /v1/orders`. */
  readonly collection?: string;
  /** The places of the fairness key and weight of a task, unless its submission names others. */
  readonly fairness?: (input: Ref<Input>) => FairnessOptions;
}

interface WithDefaults<Defaults> {
  /** The options of steps that say none of their own. */
  readonly defaults?: Defaults;
}

/**
 * A workflow is data: what follows it later is bound to `definition`, and to nothing else of it.
 * `Output` is what a processed task shows as its result, for the types of clients.
 */
export interface Workflow<S extends Schema, Output = unknown> {
  readonly name: WorkflowName;
  /** Checks, and types, what a task is submitted with. */
  readonly input: S;
  /** Plain JSON, ready to be stored. */
  readonly definition: WorkflowDefinition;
  /** How the steps were written down, for `checkPlan`. It is not listed. */
  readonly [planOf]?: WrittenPlan;
  /** A type only: there is no such value. */
  readonly [result]?: Output;
}

/** How the steps of a workflow were written down. */
export interface WrittenPlan {
  /** The function that wrote them. Nothing runs it again. */
  readonly write: (...given: never[]) => unknown;
  /** The steps that say no `after`, and so follow the one above. */
  readonly following: readonly string[];
}

/**
 * Is the same in every copy of this package: a project may have another one than the command that
 * checks it.
 */
export const planOf: unique symbol = Symbol.for("holdfast.plan");

declare const result: unique symbol;

export interface AddStep<Defaults = unknown> {
  /**
   * Adds a step that asks an Agent, and stands for what it will return: null if it may be skipped,
   * and was.
   */
  <Result, Only extends Conditional | undefined = undefined>(
    name: string,
    options: StepOptions<Result, Only, Defaults>,
  ): Ref<Only extends Conditional ? Result | null : Result>;
  /**
   * Adds a step that waits, for so long or until an instant, and asks no Agent. It stands for what
   * ended the wait, and when: null if it may be skipped, and was. Where the task is undone, it
   * waits no longer.
   */
  readonly sleep: <Only extends Conditional | undefined = undefined>(
    name: string,
    options: SleepOptions<Only>,
  ) => Ref<Only extends Conditional ? EndedWait | null : EndedWait>;
  /**
   * Adds a step that waits for a signal, such as that a customer has paid, and asks no Agent. It
   * stands for what ended the wait, when, and what the signal carried: null if it may be skipped,
   * and was. Where the task is undone, it waits no longer.
   */
  readonly wait: <
    S extends Schema,
    const OnDeadline extends "continue" | "fail",
    Only extends Conditional | undefined = undefined,
  >(
    name: string,
    options: WaitOptions<S, OnDeadline, Only>,
  ) => Ref<
    Only extends Conditional ? EndedSignal<S, OnDeadline> | null : EndedSignal<S, OnDeadline>
  >;
  /**
   * Adds a step that waits for people to decide, and asks no Agent. It stands for who approved, and
   * for what the last one filled in: null if it may be skipped, and was. Where one rejects it, it
   * has failed. Where the task is undone, it waits no longer.
   */
  readonly approve: <
    const Deadline extends AtDeadline,
    Form extends Schema | undefined = undefined,
    Only extends Conditional | undefined = undefined,
  >(
    name: string,
    options: ApproveOptions<Form, Deadline, Only>,
  ) => Ref<
    Only extends Conditional ? EndedApproval<Form, Deadline> | null : EndedApproval<Form, Deadline>
  >;
}

/** What a step returns that waited. */
export interface EndedWait {
  /** Whether its time came, or an operator waited no longer. */
  readonly fired: "deadline" | "operator";
  /** The instant at which it ended, as RFC 3339 writes it. */
  readonly at: string;
}

/** What a step returns that waited for a signal. */
export interface EndedSignal<S extends Schema, OnDeadline extends "continue" | "fail"> {
  /** Whether the signal came, its time was over, or an operator waited no longer. */
  readonly fired: EndedWait["fired"] | "signal";
  /** The instant at which it ended, as RFC 3339 writes it. */
  readonly at: string;
  /** What the signal carried; null: the task goes on without one. */
  readonly payload: OnDeadline extends "fail" ? InputOf<S> : InputOf<S> | null;
}

interface PlacedOptions<Only extends Conditional | undefined>
  extends Pick<StepOptions<unknown, Only>, "after" | "onlyIf"> {
  /**
   * What follows if `until` turns out to be no instant: undo the task (the default), or wait for an
   * operator.
   */
  readonly onFailure?: "undo" | "halt";
}

export type SleepOptions<Only extends Conditional | undefined = Conditional | undefined> =
  PlacedOptions<Only> &
    (
      | {
          /** How long it waits: up to a hundred years. */
          readonly for: Duration;
          readonly until?: undefined;
          readonly atMost?: undefined;
        }
      | {
          /**
           * The instant until which it waits, with its zone. One that has passed ends the wait at
           * once.
           */
          readonly until: Template<string>;
          /** The longest that it waits, whatever `until` says. */
          readonly atMost?: Duration;
          readonly for?: undefined;
        }
    );

export interface WaitOptions<
  S extends Schema = Schema,
  OnDeadline extends "continue" | "fail" = "continue" | "fail",
  Only extends Conditional | undefined = Conditional | undefined,
> extends Pick<StepOptions<unknown, Only>, "after" | "onlyIf"> {
  /** Checks, and types, what the signal carries. */
  readonly signal: S;
  /** How long it waits for one, up to a hundred years, or for ever. */
  readonly within: Duration | "for-ever";
  /**
   * What follows if none comes within that time: the task goes on without one, or the step has
   * failed (`wait.expired`).
   */
  readonly onDeadline: OnDeadline;
  /**
   * The name under which the signal is sent: by default that of the step. Steps that share one take
   * the signals of that name in turn, the oldest first.
   */
  readonly named?: string;
  /** Alerts an operator to a signal that comes when no step can take it any more. */
  readonly late?: "alert";
  /** What follows once it has failed: undo the task (the default), or wait for an operator. */
  readonly onFailure?: "undo" | "halt";
}

/**
 * Writes the steps down, one after the other, and says what a processed task shows as its result.
 * It is not async: there is nothing to wait for.
 */
export type Plan<Input, Planned = unknown, Defaults = unknown> = (
  input: Ref<Input>,
  step: AddStep<Defaults>,
) => Planned;

/**
 * Runs `plan` once, here and now, to write its steps down. Nothing of it runs in the Scheduler.
 * Throws a `ContractFault` (`workflow.invalid`) that says what is wrong where.
 */
export function defineWorkflow<
  S extends Schema,
  const Planned = unknown,
  Defaults extends StepDefaults = StepDefaults,
>(
  name: WorkflowName,
  input: S,
  plan: Plan<InputOf<S>, Planned, Defaults>,
  options: WorkflowOptions<InputOf<S>> & WithDefaults<Defaults> = {},
): Workflow<S, ResultOf<Planned>> {
  try {
    return writeDown(name, input, plan, options);
  } catch (error) {
    refuse({ kind: "workflow", name, error });
    // What the module makes of its definition fails with the same words.
    const fail = (): never => {
      throw error;
    };
    const refusedOne = { name, input } as Workflow<S, ResultOf<Planned>>;
    return Object.defineProperty(refusedOne, "definition", { get: fail });
  }
}

function writeDown<S extends Schema, Planned, Defaults extends StepDefaults>(
  name: WorkflowName,
  input: S,
  plan: Plan<InputOf<S>, Planned, Defaults>,
  options: WorkflowOptions<InputOf<S>> & WithDefaults<Defaults>,
): Workflow<S, ResultOf<Planned>> {
  const { completeWithin, collection, fairness, defaults } = options;
  const written = newPlan(name);
  const { steps, inputs, outputs, signals, forms, remotes, following } = written;
  const addStep = Object.assign(callsIn(written, defaults), {
    sleep: sleepsIn(written),
    wait: waitsIn(written),
    approve: approvalsIn(written),
  });
  const planned = within(
    () => written.place,
    () => plan(refTo("/input"), addStep as AddStep<Defaults>),
  );
  mustBeNoPromise(planned, name);
  const output = planned ?? null;
  const definition = validateDefinition({
    format: formatOf(steps),
    name,
    inputSchema: schemaIn(`${name}, input`, input),
    steps,
    completeWithin: within(name, () =>
      completeWithin === undefined ? null : toMilliseconds(completeWithin, "completeWithin"),
    ),
    output: within(`${name}, output`, () => toTemplate(output)),
    ...(collection === undefined ? {} : { collection }),
    ...(fairness === undefined ? {} : { fairness: pointersOf(fairness(refTo("/input"))) }),
    ...(Object.keys(remotes).length === 0 ? {} : { remotes }),
    inputs,
    outputs,
    ...(Object.keys(signals).length === 0 ? {} : { signals }),
    ...(Object.keys(forms).length === 0 ? {} : { forms }),
  });
  const value: WrittenPlan = { write: plan, following };
  return Object.defineProperty({ name, input, definition }, planOf, { value });
}

type Schemas = Record<string, { readonly [key: string]: Json }>;

/** What a plan has written down so far. */
interface PlanSoFar {
  readonly name: string;
  readonly steps: StepDefinition[];
  readonly inputs: Schemas;
  readonly outputs: Schemas;
  readonly signals: Schemas;
  readonly forms: Schemas;
  readonly remotes: Record<string, RemoteDefinition>;
  readonly following: string[];
  /** The place that it has come to, for what goes wrong. */
  place: string;
}

const newPlan = (name: string): PlanSoFar => ({
  name,
  steps: [],
  inputs: {},
  outputs: {},
  signals: {},
  forms: {},
  remotes: {},
  following: [],
  place: name,
});

/** Writes down steps that ask Agents. */
const callsIn =
  (plan: PlanSoFar, defaults: StepDefaults | undefined) =>
  <Result>(
    name: string,
    given: StepOptions<
      Result,
      Conditional | undefined,
      StepDefaults & { completeWithin: Duration }
    >,
  ): Ref<Result> => {
    const { inputs, outputs, remotes } = plan;
    plan.place = `${plan.name}, step "${name}"`;
    mustNotBeRefused(given.call.agent, given.call);
    const { operation, inputSchema, outputSchema } = given.call;
    const step = withDefaults(given, defaults);
    const pool = poolOf(step);
    const [{ name: agent } = { name: given.call.agent }] = pool;
    for (const { name: member, remote } of pool) if (remote) remotes[member] = remote;
    if (inputSchema !== null) inputs[`${agent}.${operation}`] = inputSchema;
    if (outputSchema !== null) outputs[`${agent}.${operation}`] = outputSchema;
    return added<Result>(plan, toStep(placeOf(plan, name, step), step, pool));
  };

/** Writes down steps that wait for a signal. */
const waitsIn =
  (plan: PlanSoFar) =>
  (name: string, options: WaitOptions): Ref<EndedSignal<Schema, "continue">> => {
    plan.place = `${plan.name}, step "${name}"`;
    const step = toSignal(placeOf(plan, name, options), options);
    plan.signals[step.signal] = schemaOfSignal(plan.signals, step.signal, options);
    return added(plan, step);
  };

/** Writes down steps that people decide. */
const approvalsIn =
  (plan: PlanSoFar) =>
  (name: string, options: ApproveOptions): Ref<EndedApproval<Schema, "approve">> => {
    plan.place = `${plan.name}, step "${name}"`;
    const { form } = options;
    if (form !== undefined) plan.forms[name] = schemaIn("form", form);
    return added(plan, toApproval(placeOf(plan, name, options), options));
  };

/** The schema of a signal. Throws a `ContractFault` where another step has another one. */
function schemaOfSignal(
  known: Schemas,
  name: string,
  { signal }: Pick<WaitOptions, "signal">,
): Schemas[string] {
  const schema = schemaIn(`signal "${name}"`, signal);
  const before = Object.hasOwn(known, name) ? known[name] : undefined;
  if (before === undefined || canonicalJson(before) === canonicalJson(schema)) return schema;
  throw new ContractFault(
    "workflow.invalid",
    `signal "${name}" has another schema here than at a step above: give both the same, or name one of them otherwise with named`,
  );
}

/** Writes down steps that wait for a time. */
const sleepsIn =
  (plan: PlanSoFar) =>
  (name: string, options: SleepOptions): Ref<EndedWait> => {
    plan.place = `${plan.name}, step "${name}"`;
    return added<EndedWait>(plan, toWait(placeOf(plan, name, options), options));
  };

/** The place of a step among the others: after the one above it, unless it says otherwise. */
function placeOf(
  { steps, following }: PlanSoFar,
  name: string,
  { after, onlyIf }: Pick<StepOptions<unknown>, "after" | "onlyIf">,
): Placed {
  const above = steps.at(-1);
  if (after === undefined && above !== undefined) following.push(name);
  return {
    name,
    after: [...new Set((after ?? (above ? [above.name] : [])).map(stepNameOf))],
    onlyIf: onlyIf == null ? null : conditionOf(onlyIf),
  };
}

function added<Result>(plan: PlanSoFar, step: StepDefinition): Ref<Result> {
  plan.steps.push(step);
  plan.place = `${plan.name}, after step "${step.name}"`;
  return refTo(`/steps${pointerPart(step.name)}`);
}

/**
 * The schema of what is sent as JSON. Throws a `ContractFault` that names what of it no JSON is.
 */
function schemaIn(place: string, sent: Schema): { readonly [key: string]: Json } {
  const wrong = partThatIsNoJson(sent, { way: "input" });
  if (wrong !== null) throw new ContractFault("workflow.invalid", `${place}${wrong}`);
  try {
    return jsonSchemaOf(sent);
  } catch (error) {
    throw new ContractFault("workflow.invalid", `${place}: ${errorText(error)}`, { cause: error });
  }
}

/** A promise has no end that a definition could wait for, and what it awaits are refs. */
function mustBeNoPromise(planned: unknown, name: string): void {
  if (!(planned instanceof Promise)) return;
  // What it rejects with follows from the same mistake.
  planned.catch(() => {});
  throw new ContractFault(
    "workflow.invalid",
    `${name}: its function is async, and a workflow waits for nothing while it is written down. Write it without async and await: a step follows the one above it, and steps run beside each other with after`,
  );
}

const pointersOf = ({ key, weight }: FairnessOptions) => ({
  key: pointerOf(key) ?? "",
  ...(weight === undefined ? {} : { weight: pointerOf(weight) ?? "" }),
});

/** The Agents that may take the step, as far as a definition needs to know them. */
type PoolMembers = readonly Pick<AgentContract, "name" | "remote">[];

function poolOf({ call, agents }: StepOptions<unknown>): PoolMembers {
  if (agents !== undefined) return contractsOfPool(call, agents);
  const { agent: name, remote } = call;
  return [remote === undefined ? { name } : { name, remote }];
}

type Placed = Pick<StepDefinition, "name" | "after" | "onlyIf">;

function toWait(placed: Placed, options: SleepOptions): WaitDefinition {
  // What a program in JavaScript may say.
  const asked: { readonly for?: Duration | undefined; readonly until?: unknown } = options;
  const { onFailure = "undo", atMost } = options;
  const wait = { kind: "wait", ...placed, onFailure } as const;
  if ((asked.for === undefined) === (asked.until === undefined)) {
    throw new ContractFault("workflow.invalid", "a wait has either for or until: say one of them");
  }
  if (asked.for !== undefined) return { ...wait, for: toMilliseconds(asked.for, "for") };
  const limit = atMost === undefined ? {} : { atMost: toMilliseconds(atMost, "atMost") };
  return { ...wait, until: toTemplate(asked.until), ...limit };
}

function toSignal(placed: Placed, options: WaitOptions): SignalDefinition {
  const { within: limit, onDeadline, named = placed.name, late, onFailure = "undo" } = options;
  return {
    kind: "signal",
    ...placed,
    signal: named,
    within: toLimit(limit, "within"),
    onDeadline,
    ...(late === undefined ? {} : { late }),
    onFailure,
  };
}

function toStep(placed: Placed, options: StepOptions<unknown>, pool: PoolMembers): CallDefinition {
  const { call, undo } = options;
  if (call.undo === null && undo !== undefined)
    throw new ContractFault(
      "workflow.invalid",
      `undo is set, but ${call.agent}.${call.operation} has no undo: name one in defineAgent, or remove undo here`,
    );
  const [{ name: first } = { name: call.agent }] = pool;
  const { name, after, onlyIf } = placed;
  return {
    name,
    agent: first,
    ...(options.agents === undefined ? {} : { agents: pool.map((agent) => agent.name) }),
    operation: call.operation,
    input: toTemplate(call.input),
    after,
    onlyIf,
    ...policyOf(options),
    undo: call.undo === null ? null : { operation: call.undo, ...undoPolicyOf(options) },
  };
}

function stepNameOf(step: Ref<unknown> | string): string {
  if (typeof step === "string") return step;
  const name = stepOfRef(pointerOf(step) ?? "");
  if (name !== null) return name;
  throw new ContractFault(
    "workflow.invalid",
    `after contains ${pointerOf(step) ?? typeof step}, which is no step: give it steps or names of steps`,
  );
}

/**
 * Has a `ContractFault` of `work` say where it happened; a place that moves on is asked for then.
 */
function within<T>(place: string | (() => string), work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    const where = typeof place === "string" ? place : place();
    throw new ContractFault(error.code, `${where}: ${error.message}`, { cause: error });
  }
}
