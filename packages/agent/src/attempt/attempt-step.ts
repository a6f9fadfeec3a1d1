import {
  limits,
  printableText,
  readableText,
  type StepReply,
  type StepRequest,
} from "@holdfast/contracts";
import {
  ContractFault,
  type Effect,
  errorText,
  Fault,
  type Json,
  PermanentFault,
  type TraceContext,
  TransientFault,
} from "@holdfast/domain";
import { noTracing, type Tracing } from "@holdfast/runtime";
import type { Progress, StepContext } from "../contract/handlers.ts";
import type { BoundOperation, PreparedCall } from "../contract/operations.ts";
import type { ResiliencePolicy } from "./resilience-policy.ts";

export type Outcome = StepReply["outcome"];

interface AttemptOptions {
  readonly operation: BoundOperation | undefined;
  readonly resiliencePolicy: ResiliencePolicy;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Aborts at the deadline too, or earlier: when the step need not be finished. */
  readonly stop?: AbortSignal;
  /** Is called when the handler says that it is at work. */
  readonly beat?: (progress: Progress) => void;
  /** The trace that the calls belong to; none unless given. */
  readonly trace?: Pick<CallTrace, "tracing" | "parent">;
  /**
   * Gets what the handler threw if that is no `Fault`: a bug, of which the reply says only the
   * message.
   */
  readonly onUnexpected?: (error: unknown) => void;
}

/**
 * Makes one attempt at a step. Resolves to what to answer the Scheduler, or to null when the
 * deadline passed first: by then another instance may have the step, and not even an error may be
 * sent. A handler whose signal aborts may finish all the same: what it returns is what the undo
 * needs.
 */
export async function attemptStep(
  request: StepRequest,
  {
    operation,
    resiliencePolicy,
    signal,
    stop = signal,
    beat = ignore,
    trace = noTrace,
    onUnexpected,
  }: AttemptOptions,
): Promise<Outcome | null> {
  using end = endOf(signal);
  const deadline = end.passed;
  const tries: Effect[] = [];
  const work = async (): Promise<Outcome> => {
    const prepared = await prepare(request, operation);
    const where = { ...trace, operation: request.operation };
    const call: PreparedCall = (step) => traceCall(prepared, step, where);
    const output = await resiliencePolicy.call(() => {
      // From then on nothing may be begun, not even by a retry that was resting.
      stop.throwIfAborted();
      return tryOnce(call, contextOf(request, stop, beat), { deadline, tries });
    }, stop);
    return { kind: "completed", output };
  };
  const outcome = work().catch((error: unknown) => {
    if (stop.aborted) return stopped(tries);
    if (!(error instanceof Fault)) onUnexpected?.(error);
    return failed(error, tries, operation?.contract ?? null);
  });
  const first = await Promise.race([outcome, deadline.catch(() => null)]);
  return signal.aborted ? null : first;
}

const ignore = (): void => {};
const noTrace = { tracing: noTracing, parent: null } as const;

const contextOf = (
  request: StepRequest,
  signal: AbortSignal,
  beat: (progress: Progress) => void,
): StepContext => {
  const { taskId, step, attempt, idempotencyKey } = request;
  const heartbeat = () => beat({});
  return { taskId, step, attempt, idempotencyKey, signal, heartbeat, progress: beat };
};

/** The attempt was stopped: an error after that says only that it stopped. */
const stopped = (tries: readonly Effect[]): Outcome => ({
  kind: "stopped",
  effect: tries.includes("unknown") ? "unknown" : "none",
});

interface Trial {
  readonly deadline: Promise<never>;
  /** What is known of each try that failed. */
  readonly tries: Effect[];
}

/** A handler that does not stop at the deadline is waited for no longer; it counts as failed. */
async function tryOnce(
  call: PreparedCall,
  context: StepContext,
  { deadline, tries }: Trial,
): Promise<Json> {
  try {
    return await Promise.race([call(context), deadline]);
  } catch (error) {
    const isHarmless = error instanceof Fault && error.effect === "none";
    tries.push(isHarmless ? "none" : "unknown");
    throw error;
  }
}

/** What does not fit the contract has not been tried: it had no effect, and never will. */
async function prepare(
  request: StepRequest,
  operation: BoundOperation | undefined,
): Promise<PreparedCall> {
  const contract = operation?.contract ?? null;
  if (contract !== null && request.unfit?.includes(contract) === true) {
    throw new ContractFault(
      "step.contract_broken",
      `The workflow needs another contract of ${request.operation} than this instance has (${contract})`,
    );
  }
  if (operation !== undefined) return operation.prepare(request);
  throw new ContractFault(
    "agent.unknown_operation",
    `The Agent ${request.agent} has no operation ${request.operation}: its release is older or newer than the workflow`,
  );
}

/**
 * One try without a known outcome makes that of the attempt unknown, whatever the last one said.
 * Without any, the remote service was not called.
 */
function failed(error: unknown, tries: readonly Effect[], contract: string | null): Outcome {
  const fault = error instanceof Fault ? error : null;
  const code = fault?.code ?? "";
  // Another instance may have a contract by which it is no refusal.
  const isRefused = code === "step.contract_broken" && tries.length === 0;
  const retryAfterMs = fault instanceof TransientFault ? fault.retryAfter : null;
  return {
    kind: "failed",
    code: code === "" ? "agent.unexpected" : printableText(code, limits.code),
    message: readableText(errorText(error), limits.words),
    transient: fault?.transient ?? true,
    attempted: tries.length > 0,
    effect: tries.includes("unknown") ? "unknown" : "none",
    ...(isRefused && contract !== null ? { contract } : {}),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
}

/**
 * Rejects at the deadline. Disposed of, it holds nothing more: a promise that stays open keeps what
 * it was raced against, which is what the handler returned.
 */
function endOf(signal: AbortSignal): Disposable & { readonly passed: Promise<never> } {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { passed, [Symbol.dispose]: () => signal.removeEventListener("abort", abort) };
}

/** The place of the calls of an attempt in a trace. */
interface CallTrace {
  readonly tracing: Tracing;
  readonly parent: TraceContext | null;
  readonly operation: string;
}

/**
 * Makes one call of a handler within a span, so that what it fetches is below it. Without a trace
 * it makes the call, and nothing else.
 */
async function traceCall(
  call: PreparedCall,
  step: StepContext,
  { tracing, parent, operation }: CallTrace,
): Promise<Json> {
  if (parent === null) return call(step);
  const span = tracing.span(operation, {
    parent,
    attributes: { "holdfast.step": step.step, "holdfast.idempotency_key": step.idempotencyKey },
  });
  const traceparent = span.context?.traceparent;
  const traced = traceparent === undefined ? step : { ...step, traceparent };
  try {
    const output = await span.run(() => call(traced));
    span.end();
    return output;
  } catch (error) {
    span.end({ "error.type": typeOf(error) });
    throw error;
  }
}

/** A code of few kinds, and never a message: it may hold what is no business of a collector. */
const typeOf = (error: unknown): string => {
  if (error instanceof PermanentFault || error instanceof TransientFault) return error.code;
  return error instanceof Error ? error.name : "unknown";
};
