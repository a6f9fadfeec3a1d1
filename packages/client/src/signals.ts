import { readPages } from "./pages.ts";
import type { Send } from "./request.ts";
import type {
  KeyedSignal,
  Signal,
  SignalAccepted,
  SignalByKeyAccepted,
  SignalOptions,
} from "./types.ts";
import { toMilliseconds } from "./wait.ts";

/** Signals to the tasks of business keys; `tasks.signal` sends them to one whose id is known. */
export interface SignalCalls {
  /**
   * Sends a signal to the task of a business key, or the last one that had it; with `holdFor`, to
   * an open one, or has it held for one that is still to come. Durable when this resolves; repeated
   * as a submission is. Keys can be guessed: without a token the service has to allow it by
   * `read-by-key` in its `ANONYMOUS_MAY`.
   */
  send(name: string, signal: KeyedSignal): Promise<SignalByKeyAccepted>;
}

/** Signals to one task, and those that it has. */
export interface TaskSignalCalls {
  /**
   * Sends a signal to a task, for which a step waits or will wait. Durable when this resolves;
   * repeated under one id, as a submission is. Throws a `ProblemError` for one that breaks its
   * schema (`signal.invalid`), or that comes too late for any step (`signal.too_late`).
   */
  signal(
    id: string,
    name: string,
    payload: unknown,
    options?: SignalOptions,
  ): Promise<SignalAccepted>;
  /** All signals that were sent to a task, the oldest first, and which step took each. */
  signals(id: string): Promise<readonly Signal[]>;
}

const pathOf = (id: string) => `/v1/tasks/${encodeURIComponent(id)}/signals`;

export function signalCalls(send: Send): SignalCalls {
  return {
    async send(name, { workflow, holdFor, signal, ...body }) {
      const answer = await send<SignalByKeyAccepted>({
        method: "POST",
        path: `/v1/signals/${encodeURIComponent(name)}`,
        body: {
          ...body,
          workflow: typeof workflow === "string" ? workflow : workflow.name,
          ...(holdFor === undefined ? {} : { holdFor: `${toMilliseconds(holdFor)}ms` }),
        },
        signal,
        repeat: "safe",
      });
      return answer.body;
    },
  };
}

export function taskSignalCalls(send: Send): TaskSignalCalls {
  return {
    async signal(task, name, payload, { id = crypto.randomUUID(), actor, signal } = {}) {
      const answer = await send<SignalAccepted>({
        method: "POST",
        path: `${pathOf(task)}/${encodeURIComponent(name)}`,
        headers: { "idempotency-key": id },
        body: { payload, ...(actor === undefined ? {} : { actor }) },
        signal,
        repeat: "safe",
      });
      return answer.body;
    },
    signals: (id) => readPages<Signal>(send, pathOf(id)),
  };
}
