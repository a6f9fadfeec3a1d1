import type { Api } from "../api/api.ts";
import type { Action, ActionCall, FilledForm } from "./action.ts";

/** How one call of an action ended. Nothing else is known to be done. */
export type CallOutcome =
  | { readonly kind: "waiting" }
  | { readonly kind: "asked" }
  | { readonly kind: "done"; readonly answer: unknown }
  | { readonly kind: "refused"; readonly error: unknown };

interface Run {
  readonly api: Pick<Api, "ask">;
  readonly action: Action;
  readonly filled: FilledForm;
  readonly onOutcome: (call: ActionCall, outcome: CallOutcome) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes the calls of an action one after the other. One that is refused does not stop the others.
 */
export async function runCalls({ api, action, filled, onOutcome, signal }: Run): Promise<void> {
  for (const call of action.calls) {
    if (signal.aborted) return;
    onOutcome(call, { kind: "asked" });
    try {
      // Not with the signal: what was sent is waited for, so that its outcome is known.
      const answer = await api.ask(call.request(filled));
      onOutcome(call, { kind: "done", answer });
    } catch (error) {
      onOutcome(call, { kind: "refused", error });
    }
  }
}
