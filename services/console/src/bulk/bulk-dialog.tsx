import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { curlLine } from "../actions/action.ts";
import { useConsole, useSession } from "../api/console-context.ts";
import type { BulkForecast, BulkOperation } from "../api/operations-types.ts";
import { refreshAll } from "../api/queries.ts";
import { Link, navigate } from "../app/router.tsx";
import { taskPath } from "../app/routes.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { formatCount, shortId } from "../parts/format.ts";
import { bulkVerb } from "../parts/operation-styles.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import {
  type BulkBody,
  type BulkForm,
  type BulkTarget,
  bulkCall,
  bulkCommand,
  dryRunOf,
  type ReadBulkForm,
  readBulkForm,
} from "./bulk-form.ts";
import { operationKeys } from "./operation-keys.ts";

interface Props {
  readonly target: BulkTarget;
  /** What the tasks have in common, in words. */
  readonly what: string;
  readonly onClose: () => void;
}

/**
 * The dialog that leads from the dry run over canary, rate and reason to a bulk operation, which
 * has a page of its own.
 */
export function BulkDialog({ target, what, onClose }: Props) {
  const { actor } = useSession();
  const [form, setForm] = useState<BulkForm>({
    canary: "2",
    rate: "5",
    output: "",
    changes: "",
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
          action={target.action}
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

/**
 * Creates the operation. The same filled has the same key: asked again after a lost answer, it is
 * done once.
 */
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
      const asked = bulkCall(body, { "idempotency-key": keyOf(body) });
      const { id } = await api.ask<BulkOperation>(asked);
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
  const command = bulkCommand(body);
  return (
    <details className="lines" open>
      <summary>The same from a terminal</summary>
      <CommandLine name="curl" line={curlLine(location.origin, bulkCall(body))} />
      {command !== null && <CommandLine name="holdfast" line={command} />}
    </details>
  );
}

interface BulkFieldsProps {
  readonly form: BulkForm;
  readonly faults: ReadBulkForm["faults"];
  readonly action: BulkTarget["action"];
  readonly onChange: (change: Partial<BulkForm>) => void;
}

/** How careful, why, and who. */
function BulkFields({ form, faults, action, onChange }: BulkFieldsProps) {
  const field = (name: keyof BulkForm) => ({
    value: form[name] ?? "",
    fault: faults[name] ?? null,
    onChange: (value: string) => onChange({ [name]: value }),
  });
  return (
    <>
      {action === "resubmit" && (
        <Field
          label="Changes of the input, one a line"
          hint="Of each task: iban=DE02… sets a text, amount:=5 other JSON, -note removes. Empty: the inputs stay as they are."
          isLong
          {...field("changes")}
        />
      )}
      {action === "resolve" && (
        <Field
          label="What the step returned (JSON)"
          hint="The same for each task. Later steps use it: it must keep to the contract of the step."
          isLong
          {...field("output")}
        />
      )}
      <div className="field-pair">
        <Field
          label="Canary"
          hint="So many tasks first. The others follow only if all of these succeed; 0 has none."
          {...field("canary")}
        />
        <Field label="Rate" hint="Tasks a second." {...field("rate")} />
      </div>
      <Field
        label="Reason"
        hint="Kept in the history of each task."
        isRequired
        isFirst
        max={1_000}
        {...field("reason")}
      />
      <Field label="Who acts" isRequired max={100} {...field("actor")} />
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly fault: string | null;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly isFirst?: boolean;
  readonly isLong?: boolean;
  readonly max?: number;
  readonly onChange: (value: string) => void;
}

function Field(props: FieldProps) {
  const { label, value, fault, hint = "", isRequired = false, isFirst = false, max } = props;
  const id = useId();
  const shared = {
    id,
    value,
    required: isRequired,
    ...(isFirst ? { "data-first": true } : {}),
    "aria-invalid": fault !== null,
    "aria-describedby": `${id}-hint`,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      props.onChange(event.target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {props.isLong === true ? (
        <textarea rows={4} spellCheck={false} {...shared} />
      ) : (
        <input maxLength={max ?? 20} {...shared} />
      )}
      <p id={`${id}-hint`} className={fault === null ? "hint" : "hint-error"}>
        {fault ?? hint}
      </p>
    </div>
  );
}

/** Asks what the operation would do, each time that what it acts on changes. */
function useForecast(body: BulkBody, isWrong: boolean) {
  const { api } = useConsole();
  const { action, filter, step, output, patch } = body;
  return useQuery({
    queryKey: ["forecast", JSON.stringify([action, filter, step, output, patch])],
    queryFn: ({ signal }) => api.ask<BulkForecast>(bulkCall(dryRunOf(body)), signal),
    enabled: !isWrong,
    refetchInterval: 5_000,
  });
}

interface UseForecastProps {
  readonly forecast: ReturnType<typeof useForecast>;
  readonly verb: string;
}

/**
 * What a dry run says: how many match, how many of these would be acted on, and why not the others.
 */
function Forecast({ forecast: { data, error, isFetching }, verb }: UseForecastProps) {
  if (data === undefined) {
    return error === null ? (
      <p className="forecast" role="status">
        {isFetching ? "Dry run …" : "The dry run waits for a right form."}
      </p>
    ) : (
      <ProblemNote error={error} />
    );
  }
  const { matches, allowed, refused, sample } = data;
  return (
    <div className="forecast" role="status">
      <p>
        <strong>Dry run:</strong> {formatCount(matches)} {matches === 1 ? "matches" : "match"},{" "}
        {verb.toLowerCase()} is allowed for <strong>{formatCount(allowed)}</strong>.
      </p>
      {refused.map(({ reason, count }) => (
        <p key={reason} className="tone-warn forecast-refused">
          {formatCount(count)} refused: <code>{reason}</code>
        </p>
      ))}
      {sample.length > 0 && (
        <p className="muted">
          Such as{" "}
          {sample.slice(0, 3).map((id) => (
            <Link key={id} to={taskPath(id)} className="mono sample" title={id} target="_blank">
              {shortId(id)}
            </Link>
          ))}
        </p>
      )}
      {error !== null && <ProblemNote error={error} />}
    </div>
  );
}
