import type { StepReply, StepRequest } from "@holdfast/contracts";
import { Fault, type Json } from "@holdfast/domain";
import { BrokenCircuitError } from "cockatiel";
import type { StepContext } from "./handlers.ts";
import type { BoundOperation, PreparedCall } from "./operations.ts";
import type { Protection } from "./protection.ts";

type Outcome = StepReply["outcome"];
type Effect = "none" | "unknown";

interface AttemptOptions {
  readonly operation: BoundOperation | undefined;
  readonly protection: Protection;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/**
 * Makes one attempt at a step. Resolves to what to tell the Scheduler, or to null when the deadline
 * passed first: by then the step may be in other hands, and not even an error may be sent.
 */
export async function attemptStep(
  request: StepRequest,
  { operation, protection, signal }: AttemptOptions,
): Promise<Outcome | null> {
  const outcome = await Promise.race([work(request, operation, protection, signal), end(signal)]);
  return signal.aborted ? null : outcome;
}

async function work(
  request: StepRequest,
  operation: BoundOperation | undefined,
  protection: Protection,
  signal: AbortSignal,
): Promise<Outcome> {
  const call = await prepare(request, operation);
  if (typeof call !== "function") return call;
  const { taskId, step, attempt, idempotencyKey } = request;
  const context: StepContext = { taskId, step, attempt, idempotencyKey, signal };
  const tries: Effect[] = [];
  try {
    const output = await protection.call(() => tryOnce(call, context, tries), signal);
    return { kind: "completed", output };
  } catch (error) {
    return failed(error, tries, protection);
  }
}

/** What does not fit the contract has not been tried: it had no effect, and never will. */
async function prepare(
  request: StepRequest,
  operation: BoundOperation | undefined,
): Promise<PreparedCall | Outcome> {
  const refused = { kind: "failed", transient: false, effect: "none" } as const;
  if (operation === undefined) {
    const message = `${request.agent} has no operation ${request.operation}`;
    return { ...refused, code: "agent.unknown_operation", message };
  }
  try {
    return await operation.prepare(request);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ...refused, code: error.code, message: shorten(error.message) };
  }
}

async function tryOnce(call: PreparedCall, context: StepContext, tries: Effect[]): Promise<Json> {
  try {
    return await call(context);
  } catch (error) {
    tries.push(error instanceof Fault && error.details["effect"] === "none" ? "none" : "unknown");
    throw error;
  }
}

/** One try without a known outcome makes that of the attempt unknown, whatever the last one said. */
function failed(error: unknown, tries: readonly Effect[], protection: Protection): Outcome {
  const effect: Effect = tries.includes("unknown") ? "unknown" : "none";
  if (error instanceof BrokenCircuitError) {
    return {
      kind: "failed",
      code: "agent.circuit_open",
      message: "The remote service fails; it is left alone for a while",
      transient: true,
      attempted: tries.length > 0,
      retryAfterMs: protection.openFor(),
      effect,
    };
  }
  const fault = error instanceof Fault ? error : null;
  const retryAfterMs = fault?.details["retryAfterMs"];
  return {
    kind: "failed",
    code: fault?.code ?? "agent.unexpected",
    message: shorten(error instanceof Error ? error.message : String(error)),
    transient: fault?.transient ?? true,
    effect,
    ...(typeof retryAfterMs === "number" ? { retryAfterMs: Math.ceil(retryAfterMs) } : {}),
  };
}

/** NUL cannot be stored, and nobody reads more. */
const shorten = (message: string): string =>
  message.replaceAll("\u0000", "").toWellFormed().slice(0, 2_000);

function end(signal: AbortSignal): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  if (signal.aborted) resolve(null);
  else signal.addEventListener("abort", () => resolve(null), { once: true });
  return promise;
}
