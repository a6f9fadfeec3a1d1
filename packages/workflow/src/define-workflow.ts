import { validateDefinition } from "@holdfast/contracts";
import {
  ContractFault,
  definitionFormat,
  errorText,
  type Json,
  type RemoteDefinition,
  type StepDefinition,
  stepOfRef,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { AgentContract } from "./agent.ts";
import { type Conditional, conditionOf } from "./conditions.ts";
import { type Duration, toMilliseconds } from "./duration.ts";
import { contractsOfPool } from "./pool.ts";
import { pointerOf, pointerPart, type Ref, type ResultOf, refTo } from "./ref.ts";
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

/** Adds a step, and stands for what it will return: null if it may be skipped, and was. */
export type AddStep<Defaults = unknown> = <
  Result,
  Only extends Conditional | undefined = undefined,
>(
  name: string,
  options: StepOptions<Result, Only, Defaults>,
) => Ref<Only extends Conditional ? Result | null : Result>;

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
  const steps: StepDefinition[] = [];
  const inputs: Record<string, { readonly [key: string]: Json }> = {};
  const outputs: Record<string, { readonly [key: string]: Json }> = {};
  const remotes: Record<string, RemoteDefinition> = {};
  const following: string[] = [];
  let place = name as string;
  const addStep: AddStep<Defaults> = (stepName, given) => {
    place = `${name}, step "${stepName}"`;
    mustNotBeRefused(given.call.agent, given.call);
    const { operation, inputSchema, outputSchema } = given.call;
    const step = withDefaults(given, defaults);
    const pool = poolOf(step);
    const [{ name: agent } = { name: given.call.agent }] = pool;
    for (const { name: member, remote } of pool) if (remote) remotes[member] = remote;
    if (inputSchema !== null) inputs[`${agent}.${operation}`] = inputSchema;
    if (outputSchema !== null) outputs[`${agent}.${operation}`] = outputSchema;
    const above = steps.at(-1);
    if (step.after === undefined && above !== undefined) following.push(stepName);
    steps.push(toStep(stepName, step, { above, pool }));
    place = `${name}, after step "${stepName}"`;
    return refTo(`/steps${pointerPart(stepName)}`);
  };
  const planned = within(
    () => place,
    () => plan(refTo("/input"), addStep),
  );
  mustBeNoPromise(planned, name);
  const output = planned ?? null;
  const definition = validateDefinition({
    format: definitionFormat,
    name,
    inputSchema: inputSchemaIn(name, input),
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
  });
  const value: WrittenPlan = { write: plan, following };
  return Object.defineProperty({ name, input, definition }, planOf, { value });
}

/** The schema of the input as JSON. Throws a `ContractFault` that names what of it no JSON is. */
function inputSchemaIn(name: string, input: Schema): { readonly [key: string]: Json } {
  const wrong = partThatIsNoJson(input, { way: "input" });
  if (wrong !== null) throw new ContractFault("workflow.invalid", `${name}, input${wrong}`);
  try {
    return jsonSchemaOf(input);
  } catch (error) {
    throw new ContractFault("workflow.invalid", `${name}, input: ${errorText(error)}`, {
      cause: error,
    });
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

interface Around {
  readonly above: StepDefinition | undefined;
  readonly pool: PoolMembers;
}

function toStep(
  name: string,
  options: StepOptions<unknown>,
  { above, pool }: Around,
): StepDefinition {
  const { call, after = above ? [above.name] : [], onlyIf = null, undo } = options;
  if (call.undo === null && undo !== undefined)
    throw new ContractFault(
      "workflow.invalid",
      `undo is set, but ${call.agent}.${call.operation} has no undo: name one in defineAgent, or remove undo here`,
    );
  const [{ name: first } = { name: call.agent }] = pool;
  return {
    name,
    agent: first,
    ...(options.agents === undefined ? {} : { agents: pool.map((agent) => agent.name) }),
    operation: call.operation,
    input: toTemplate(call.input),
    after: [...new Set(after.map(stepNameOf))],
    onlyIf: onlyIf === null ? null : conditionOf(onlyIf),
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
