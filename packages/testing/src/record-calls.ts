import { type HostedAgent, host, type ResiliencePolicy, type StepContext } from "@holdfast/agent";
import { type Agent, contract, type Operations } from "@holdfast/workflow";
import { callLog, type HandlerCall } from "./call-log.ts";
import type { World } from "./simulator/world.ts";

export interface CallRecorder {
  readonly calls: readonly HandlerCall[];
  /** Returns the Agent with every call of a handler recorded, and no retries within an attempt. */
  record(agent: HostedAgent): HostedAgent;
  /** How many handlers are running that virtual time has to wait for. */
  readonly awaited: number;
  /**
   * Waits until a handler ends, or for so many real milliseconds: then virtual time goes on without
   * it.
   */
  nextEnd(timeout: number): Promise<void>;
}

/**
 * Retries and circuit breakers of Agents live in real time: the policies of the steps are what is
 * tested.
 */
const noRetries: ResiliencePolicy = {
  call: (work) => work(),
  health: () => ({ breaker: "closed", openForMs: 0 }),
};

type AnyHandler = HostedAgent["handlers"][string];

/**
 * Records the calls of handlers. `failureOf` says what is thrown instead of calling the handler of
 * a step.
 */
export function callRecorder(
  { timeline, tell }: Pick<World, "timeline" | "tell">,
  failureOf: (step: string) => Error | null,
): CallRecorder {
  const log = callLog();

  const recorded =
    (agent: string, operation: string, handler: AnyHandler) =>
    async (input: never, context: StepContext): Promise<unknown> => {
      const { step, attempt, idempotencyKey } = context;
      const failure = failureOf(step);
      if (failure !== null) {
        tell("test", () => `fails ${step}: ${failure.message}`);
        throw failure;
      }
      tell(agent, () => `calls ${operation} for ${step}, attempt ${attempt}`);
      const facts = { agent, operation, step, attempt, idempotencyKey, input };
      const call = log.begin({ ...facts, at: timeline.now, outcome: "running" });
      try {
        const output = await handler(input, context);
        log.end(call, { outcome: "returned", output });
        return output;
      } catch (error) {
        log.end(call, { outcome: "threw", error });
        throw error;
      }
    };

  return {
    calls: log.calls,
    record(agent) {
      const handlers = Object.entries(agent.handlers).map(([operation, handler]) => [
        operation,
        recorded(agent.name, operation, handler),
      ]);
      const declared = { [contract]: agent.contract } as Agent<Operations>;
      return host(declared, Object.fromEntries(handlers) as never, {
        concurrency: agent.concurrency,
        resilience: noRetries,
      });
    },
    get awaited() {
      return log.running;
    },
    nextEnd: log.nextEnd,
  };
}
