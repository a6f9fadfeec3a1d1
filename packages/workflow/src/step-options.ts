import {
  type CallDefinition,
  ContractFault,
  type RetryPolicy,
  type StepPolicy,
  type UndoDefinition,
} from "@holdfast/domain";
import type { Call } from "./agent.ts";
import type { Conditional } from "./conditions.ts";
import { type Duration, toMilliseconds } from "./duration.ts";
import type { PooledAgent } from "./pool.ts";
import type { Ref } from "./ref.ts";

export interface RetryOptions {
  /** The failure threshold: no retry follows the failure with this number. The default is 3. */
  readonly failures?: number;
  /** Delay after the first failure; doubles with each further one. The default is `1s`. */
  readonly backoff?: Duration;
  /** The longest delay. The default is `1m`. */
  readonly max?: Duration;
}

/**
 * What follows once the threshold is reached: a wait for an extended period, then counting starts
 * anew.
 */
export interface CoolDownOptions {
  readonly wait: Duration;
  /** How often; null: without limit. */
  readonly times: number | null;
}

/** The policy for one fault. Options that are left out are those of the step. */
interface FaultOptions {
  readonly retry?: RetryOptions;
  readonly coolDown?: CoolDownOptions | null;
  readonly onFailure?: "undo" | "halt";
}

/**
 * Options by fault code, such as `payments.limit_reached`, or `payments.*` for all of an area. The
 * first match wins.
 */
type FaultsOptions = Readonly<Record<string, FaultOptions>>;

/**
 * The policy of a step's undo. By default it may fail more often, and is retried until it succeeds.
 */
export interface UndoOptions {
  /** The default is that of the step. */
  readonly completeWithin?: Duration;
  /** The default is that of the step. */
  readonly extendUpTo?: Duration;
  /** The default is 5 failures. */
  readonly retry?: RetryOptions;
  /** The default is `1m`, without limit. */
  readonly coolDown?: CoolDownOptions | null;
  /** Policies for single faults. An undo that fails for good always halts. */
  readonly faults?: Readonly<Record<string, Omit<FaultOptions, "onFailure">>>;
}

/** How long one attempt may take. The Scheduler turns it into the complete-by time. */
interface AttemptLimit {
  readonly completeWithin: Duration;
}

/** What a step is done with, beside its call and its place: a workflow may have defaults for it. */
interface PolicyOptions {
  /**
   * How long an attempt of a long operation may last whose handler keeps calling `heartbeat` or
   * `progress`. Each call gives it `completeWithin` more. Without this, heartbeats are shown and
   * extend nothing.
   */
  readonly extendUpTo?: Duration;
  /** How long a request may wait until an Agent takes it. The default is `30s`. */
  readonly startWithin?: Duration;
  /**
   * How often in a row the step may be sent again without a failure, such as because no Agent took
   * the request within `startWithin`: after that the task halts for an operator. Without this, as
   * often as it takes.
   */
  readonly maxRequeues?: number;
  readonly retry?: RetryOptions;
  readonly coolDown?: CoolDownOptions | null;
  /**
   * What follows once the step has failed for good: undo the task (the default), or wait for an
   * operator.
   */
  readonly onFailure?: "undo" | "halt";
  /** Policies for single faults. */
  readonly faults?: FaultsOptions;
  readonly undo?: UndoOptions;
}

/**
 * The options of steps that say none of their own. What a step says replaces the default of that
 * name as a whole.
 */
export type StepDefaults = PolicyOptions & Partial<AttemptLimit>;

/**
 * The options of a step, where its workflow has these defaults: `completeWithin` must stand
 * somewhere.
 */
export type StepOptions<
  Result,
  Only extends Conditional | undefined = Conditional | undefined,
  Defaults = unknown,
> = OwnOptions<Result, Only> &
  PolicyOptions &
  (Defaults extends AttemptLimit ? Partial<AttemptLimit> : AttemptLimit);

interface OwnOptions<Result, Only extends Conditional | undefined> {
  /** The Agent, its operation and the input. */
  readonly call: Call<Result>;
  /**
   * Agents of one remote service, of which the call may go to any: to the one that is well and has
   * room. The call is of one of them. Once an attempt may have had an effect, the step stays with
   * its Agent, unless they share keys.
   */
  readonly agents?: readonly PooledAgent[];
  /** The steps that must be done before: the one written above it by default. `[]`: none. */
  readonly after?: readonly (Ref<unknown> | string)[];
  /**
   * The step is skipped unless this holds, or this value is true, once the steps before it are
   * done.
   */
  readonly onlyIf?: Only;
}

/**
 * The options of a step, with the defaults of its workflow where it says nothing of its own. A
 * default for undoing means nothing where there is nothing to undo. Throws a `ContractFault`
 * (`workflow.invalid`) without `completeWithin`.
 */
export function withDefaults<Result>(
  own: StepOptions<Result, Conditional | undefined, StepDefaults & AttemptLimit>,
  { undo, ...defaults }: StepDefaults = {},
): StepOptions<Result> {
  const ofUndo = own.call.undo === null || undo === undefined ? {} : { undo };
  // Without `exactOptionalPropertyTypes` a project may say undefined, and means that it says
  // nothing.
  const said = Object.entries(own).filter(([, value]) => value !== undefined);
  const all = { ...defaults, ...ofUndo, ...Object.fromEntries(said) } as typeof own;
  const { completeWithin } = all;
  if (completeWithin !== undefined) return { ...all, completeWithin };
  throw new ContractFault(
    "workflow.invalid",
    "completeWithin is missing: say how long one attempt may take, here or in the defaults of the workflow",
  );
}

/** The policy of the step itself, as it is stored. */
export function policyOf(
  options: StepOptions<unknown>,
): StepPolicy & Pick<CallDefinition, "maxRequeues"> {
  return {
    ...(options.maxRequeues === undefined ? {} : { maxRequeues: options.maxRequeues }),
    startWithin: toMilliseconds(options.startWithin ?? "30s", "startWithin"),
    completeWithin: toMilliseconds(options.completeWithin, "completeWithin"),
    ...toExtension(options.extendUpTo, "extendUpTo"),
    retry: toRetry(options.retry, { failures: 3, field: "retry" }),
    coolDown: toCoolDown(options.coolDown ?? null, "coolDown"),
    onFailure: options.onFailure ?? "undo",
    ...toFaults(options.faults, { failures: 3, field: "faults" }),
  };
}

/**
 * The policy of its undo. An undo that fails for good is for an operator: nothing undoes an undo.
 */
export function undoPolicyOf(options: StepOptions<unknown>): Omit<UndoDefinition, "operation"> {
  const { undo = {}, completeWithin, extendUpTo } = options;
  const { coolDown = { wait: "1m", times: null } } = undo;
  return {
    startWithin: toMilliseconds(options.startWithin ?? "30s", "startWithin"),
    completeWithin: toMilliseconds(undo.completeWithin ?? completeWithin, "undo.completeWithin"),
    ...toExtension(undo.extendUpTo ?? extendUpTo, "undo.extendUpTo"),
    retry: toRetry(undo.retry, { failures: 5, field: "undo.retry" }),
    coolDown: toCoolDown(coolDown, "undo.coolDown"),
    onFailure: "halt",
    ...toFaults(undo.faults, { failures: 5, field: "undo.faults" }),
  };
}

/** The limit of extensions, absent when there is none, as `faults`. */
const toExtension = (
  extendUpTo: Duration | undefined,
  field: string,
): Pick<StepPolicy, "extendUpTo"> =>
  extendUpTo === undefined ? {} : { extendUpTo: toMilliseconds(extendUpTo, field) };

/**
 * The policies for single faults, absent when there are none: a definition that says nothing new
 * stays the same definition.
 */
function toFaults(
  faults: FaultsOptions | undefined,
  { failures, field }: { readonly failures: number; readonly field: string },
): Pick<StepPolicy, "faults"> {
  if (faults === undefined) return {};
  const policies = Object.entries(faults).map(([code, { retry, coolDown, onFailure }]) => ({
    code,
    ...(retry && { retry: toRetry(retry, { failures, field: `${field}.${code}.retry` }) }),
    ...(coolDown !== undefined && { coolDown: toCoolDown(coolDown, `${field}.${code}.coolDown`) }),
    ...(onFailure && { onFailure }),
  }));
  return { faults: policies };
}

function toRetry(
  { failures, backoff = "1s", max }: RetryOptions = {},
  defaults: { readonly failures: number; readonly field: string },
): RetryPolicy {
  const first = toMilliseconds(backoff, `${defaults.field}.backoff`);
  const longest = toMilliseconds(max ?? "1m", `${defaults.field}.max`);
  return {
    failures: failures ?? defaults.failures,
    backoff: first,
    max: max === undefined ? Math.max(first, longest) : longest,
  };
}

const toCoolDown = (coolDown: CoolDownOptions | null, field: string) =>
  coolDown && { wait: toMilliseconds(coolDown.wait, `${field}.wait`), times: coolDown.times };
