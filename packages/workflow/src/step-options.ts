import type { Condition, RetryPolicy, StepPolicy, UndoDefinition } from "@holdfast/domain";
import type { Call } from "./agent.ts";
import { type Duration, toMilliseconds } from "./duration.ts";
import type { Ref } from "./ref.ts";

export interface RetryOptions {
  /** The failure threshold: the failure with this number is the last one. 3 unless said otherwise. */
  readonly failures?: number;
  /** Rest after the first failure; doubles with each further one. `1s` unless said otherwise. */
  readonly backoff?: Duration;
  /** The longest rest. `1m` unless said otherwise. */
  readonly max?: Duration;
}

/** Once the threshold is reached: wait for an extended period, then start counting anew. */
export interface CoolDownOptions {
  readonly wait: Duration;
  /** How often; null: without limit. */
  readonly times: number | null;
}

/** What is done otherwise about one fault; what is not said is as for any other fault. */
interface FaultOptions {
  readonly retry?: RetryOptions;
  readonly coolDown?: CoolDownOptions | null;
  readonly onFailure?: "compensate" | "halt";
}

/** By fault code, such as `payments.limit_reached`, or `payments.*` for all of an area. The first that fits counts. */
type FaultsOptions = Readonly<Record<string, FaultOptions>>;

/** How the undo of a step is done. It may fail more often, and rests until it succeeds. */
export interface UndoOptions {
  /** As long as the step itself unless said otherwise. */
  readonly completeWithin?: Duration;
  /** 5 failures unless said otherwise. */
  readonly retry?: RetryOptions;
  /** `1m`, without limit, unless said otherwise. */
  readonly coolDown?: CoolDownOptions | null;
  /** What is done otherwise about certain faults. An undo that fails for good always halts. */
  readonly faults?: Readonly<Record<string, Omit<FaultOptions, "onFailure">>>;
}

export interface StepOptions<Result, Only extends Condition | undefined = Condition | undefined> {
  /** What to ask of which Agent. */
  readonly call: Call<Result>;
  /** How long one attempt may take. The Scheduler turns it into the complete-by time. */
  readonly completeWithin: Duration;
  /** How long a request may wait until an Agent takes it. `30s` unless said otherwise. */
  readonly startWithin?: Duration;
  readonly retry?: RetryOptions;
  readonly coolDown?: CoolDownOptions | null;
  /** Once the step has failed for good: undo the task (so unless said otherwise), or wait for an operator. */
  readonly onFailure?: "compensate" | "halt";
  /** What is done otherwise about certain faults. */
  readonly faults?: FaultsOptions;
  /** The steps that must be done before: the one written above it unless said otherwise. `[]`: none. */
  readonly after?: readonly (Ref<unknown> | string)[];
  /** The step is skipped unless this holds once the steps before it are done. */
  readonly onlyIf?: Only;
  readonly undo?: UndoOptions;
}

/** The policy of the step itself, as it is stored. */
export function policyOf(options: StepOptions<unknown>): StepPolicy {
  return {
    startWithin: toMilliseconds(options.startWithin ?? "30s", "startWithin"),
    completeWithin: toMilliseconds(options.completeWithin, "completeWithin"),
    retry: toRetry(options.retry, { failures: 3, field: "retry" }),
    coolDown: toCoolDown(options.coolDown ?? null, "coolDown"),
    onFailure: options.onFailure ?? "compensate",
    ...toFaults(options.faults, { failures: 3, field: "faults" }),
  };
}

/** The policy of its undo. An undo that fails for good is for an operator: nothing undoes an undo. */
export function undoPolicyOf(options: StepOptions<unknown>): Omit<UndoDefinition, "operation"> {
  const { undo = {}, completeWithin } = options;
  const { coolDown = { wait: "1m", times: null } } = undo;
  return {
    startWithin: toMilliseconds(options.startWithin ?? "30s", "startWithin"),
    completeWithin: toMilliseconds(undo.completeWithin ?? completeWithin, "undo.completeWithin"),
    retry: toRetry(undo.retry, { failures: 5, field: "undo.retry" }),
    coolDown: toCoolDown(coolDown, "undo.coolDown"),
    onFailure: "halt",
    ...toFaults(undo.faults, { failures: 5, field: "undo.faults" }),
  };
}

/** Absent when there are none: a definition that says nothing new stays the same definition. */
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
