import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { curlLine } from "../actions/action.ts";
import { useConsole, useSession } from "../api/console-context.ts";
import type { BulkOperation } from "../api/operations-types.ts";
import { refreshAll } from "../api/queries.ts";
import { navigate } from "../app/router.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { bulkVerb } from "../parts/operation-looks.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { BulkFields } from "./bulk-fields.tsx";
import {
  type BulkBody,
  type BulkForm,
  type BulkTarget,
  bulkCommand,
  readBulkForm,
} from "./bulk-wish.ts";
import { Forecast, useForecast } from "./forecast.tsx";
import { operationKeys } from "./operation-keys.ts";

interface Props {
  readonly target: BulkTarget;
  /** What the tasks have in common, in words. */
  readonly what: string;
  readonly onClose: () => void;
}

/**
 * The dialog that leads from the dry run over canary, rate and reason to a bulk operation, which has a page of its
 * own.
 */
export function BulkDialog({ target, what, onClose }: Props) {
  const { actor } = useSession();
  const [form, setForm] = useState<BulkForm>({
    canary: "2",
    rate: "5",
    output: "",
    reason: "",
    actor,
  });
  const { body, faults } = readBulkForm(target, form);
  const isWrong = Object.keys(faults).length > 0;
  const forecast = useForecast(body, isWrong);
  const { start, isAsked, error } = useStart(onClose);
  const verb = bulkVerb(target.action);
  const isDangerous = target.action !== "resubmit";
  const allowed = forecast.data?.allowed ?? 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWrong && !isAsked && allowed > 0) void start(body, form.actor);
  };
  return (
    <Dialog title={`${verb}: ${what}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <Forecast forecast={forecast} verb={verb} />
        <BulkFields
          form={form}
          faults={faults}
          hasOutput={target.action === "resolve"}
          onChange={(change) => setForm({ ...form, ...change })}
        />
        <Lines body={{ ...body, reason: form.reason || "…", actor: form.actor || "…" }} />
        {error !== null && <ProblemNote error={error} />}
        <footer className="dialog-foot">
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
          <button
            type="submit"
            className={`button ${isDangerous ? "button-danger-full" : "button-primary"}`}
            disabled={isWrong || isAsked || allowed === 0}
          >
            {isAsked ? "Asked …" : `${verb} ${allowed}`}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Creates the operation. The same wish has the same key: asked again after a lost answer, it is done once. */
function useStart(onClose: () => void) {
  const { api, session } = useConsole();
  const cache = useQueryClient();
  const keyOf = useRef(operationKeys()).current;
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const start = async (body: BulkBody, actor: string): Promise<void> => {
    session.set({ ...session.get(), actor });
    setAsked(true);
    setError(null);
    try {
      const { id } = await api.ask<BulkOperation>({
        method: "POST",
        path: "/v1/bulk-operations",
        body,
        headers: { "idempotency-key": keyOf(body) },
      });
      onClose();
      navigate(`/failures/bulk/${encodeURIComponent(id)}`);
      await refreshAll(cache);
    } catch (cause) {
      setError(cause);
      setAsked(false);
    }
  };
  return { start, isAsked, error };
}

function Lines({ body }: { readonly body: BulkBody }) {
  const call = { method: "POST", path: "/v1/bulk-operations", body } as const;
  const command = bulkCommand(body);
  return (
    <details className="lines" open>
      <summary>The same from a terminal</summary>
      <CommandLine name="curl" line={curlLine(location.origin, call)} />
      {command !== null && <CommandLine name="holdfast" line={command} />}
    </details>
  );
}
