import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useConsole } from "../api/console-context.ts";
import { refreshAll } from "../api/queries.ts";
import { Dialog } from "../parts/dialog.tsx";
import type { Action, ActionCall, Wish } from "./action.ts";
import { ActionForm } from "./action-form.tsx";
import { Outcomes } from "./outcomes.tsx";
import { type CallOutcome, runCalls } from "./run-calls.ts";

interface Props {
  readonly action: Action;
  readonly onClose: () => void;
}

/** Asks why, shows what is sent, and then what came of it: nothing is shown as done that is not. */
export function ActionDialog({ action, onClose }: Props) {
  const { api, session } = useConsole();
  const cache = useQueryClient();
  const stop = useRef(new AbortController());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<ActionCall, CallOutcome> | null>(null);
  const run = async (wish: Wish): Promise<void> => {
    session.set({ ...session.get(), actor: wish.actor });
    setOutcomes(new Map(action.calls.map((call) => [call, { kind: "waiting" }])));
    const onOutcome = (call: ActionCall, outcome: CallOutcome): void =>
      setOutcomes((before) => new Map(before ?? []).set(call, outcome));
    await runCalls({ api, action, wish, onOutcome, signal: stop.current.signal });
    await refreshAll(cache);
  };
  const close = (): void => {
    stop.current.abort();
    onClose();
  };
  return (
    <Dialog title={action.title} onClose={close}>
      {outcomes === null ? (
        <ActionForm action={action} onRun={(wish) => void run(wish)} onClose={close} />
      ) : (
        <Outcomes outcomes={outcomes} onAgain={() => setOutcomes(null)} onClose={close} />
      )}
    </Dialog>
  );
}
