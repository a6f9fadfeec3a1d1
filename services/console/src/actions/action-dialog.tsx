import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";
import { useConsole, useSession } from "../api/console-context.ts";
import { refreshAll } from "../api/queries.ts";
import { Badge } from "../parts/badge.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { styleOf, taskStyles } from "../parts/state-styles.ts";
import {
  type Action,
  type ActionCall,
  commandLine,
  curlLine,
  type FilledForm,
  readField,
} from "./action.ts";
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
  const run = async (filled: FilledForm): Promise<void> => {
    session.set({ ...session.get(), actor: filled.actor });
    setOutcomes(new Map(action.calls.map((call) => [call, { kind: "waiting" }])));
    const onOutcome = (call: ActionCall, outcome: CallOutcome): void =>
      setOutcomes((before) => new Map(before ?? []).set(call, outcome));
    await runCalls({ api, action, filled, onOutcome, signal: stop.current.signal });
    await refreshAll(cache);
  };
  const close = (): void => {
    stop.current.abort();
    onClose();
  };
  return (
    <Dialog title={action.title} onClose={close}>
      {outcomes === null ? (
        <ActionForm action={action} onRun={(filled) => void run(filled)} onClose={close} />
      ) : (
        <Outcomes outcomes={outcomes} onAgain={() => setOutcomes(null)} onClose={close} />
      )}
    </Dialog>
  );
}

interface OutcomesProps {
  readonly outcomes: ReadonlyMap<ActionCall, CallOutcome>;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** What came of each call, in the words of the service. */
function Outcomes({ outcomes, onAgain, onClose }: OutcomesProps) {
  const all = [...outcomes];
  const count = (kind: CallOutcome["kind"]) => all.filter(([, one]) => one.kind === kind).length;
  const left = count("waiting") + count("asked");
  const refused = count("refused");
  return (
    <div className="dialog-body">
      <p role="status">
        {left > 0
          ? `Asking: ${all.length - left} of ${all.length} answered.`
          : `The service accepted ${count("done")} of ${all.length}.`}
      </p>
      <ul className="outcomes">
        {all.slice(0, 200).map(([call, outcome]) => (
          <li key={call.target}>
            <code>{call.target}</code>
            {wordsOf(outcome)}
          </li>
        ))}
      </ul>
      <footer className="dialog-foot">
        {left === 0 && refused > 0 && (
          <button type="button" className="button" onClick={onAgain}>
            Back
          </button>
        )}
        <button type="button" className="button button-primary" autoFocus onClick={onClose}>
          {left > 0 ? "Stop after this one" : "Close"}
        </button>
      </footer>
    </div>
  );
}

function wordsOf(outcome: CallOutcome): ReactNode {
  switch (outcome.kind) {
    case "waiting":
      return <span className="muted">waits</span>;
    case "asked":
      return <span className="muted">asked …</span>;
    case "refused":
      return <ProblemNote error={outcome.error} />;
    case "done": {
      const state = stateIn(outcome.answer);
      return state === null ? <span>accepted</span> : <Badge style={styleOf(taskStyles, state)} />;
    }
  }
}

const stateIn = (answer: unknown): string | null =>
  typeof answer === "object" &&
  answer !== null &&
  "state" in answer &&
  typeof answer.state === "string"
    ? answer.state
    : null;

interface ActionFormProps {
  readonly action: Action;
  readonly onRun: (filled: FilledForm) => void;
  readonly onClose: () => void;
}

/** Who acts and why, and what is sent then. */
function ActionForm({ action, onRun, onClose }: ActionFormProps) {
  const { actor: known } = useSession();
  const [actor, setActor] = useState(known);
  const [reason, setReason] = useState("");
  const [text, setText] = useState(action.field?.initial ?? "");
  const { fault, ...given } = readField(action.field, text);
  const filled = { actor, reason, ...given };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === null) onRun(filled);
  };
  const looks = action.isDangerous ? "button-danger-full" : "button-primary";
  return (
    <form className="dialog-body" onSubmit={submit}>
      <p>{action.explain}</p>
      <Field action={action} text={text} fault={fault} onChange={setText} />
      {action.hasReason !== false && (
        <Words label="Reason" value={reason} hint="why" max={1_000} isFirst onChange={setReason} />
      )}
      <Words label="Who acts" value={actor} hint="ada@example.com" max={100} onChange={setActor} />
      <Lines action={action} filled={{ ...filled, reason: reason || "…", actor: actor || "…" }} />
      <footer className="dialog-foot">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        <button type="submit" className={`button ${looks}`} disabled={fault !== null}>
          {action.verb}
          {action.calls.length > 1 && ` ${action.calls.length}`}
        </button>
      </footer>
    </form>
  );
}

interface WordsProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly max: number;
  readonly isFirst?: boolean;
  readonly onChange: (value: string) => void;
}

function Words({ label, value, hint, max, isFirst = false, onChange }: WordsProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        value={value}
        required
        maxLength={max}
        placeholder={hint}
        data-first={isFirst || undefined}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  );
}

interface FieldProps {
  readonly action: Action;
  readonly text: string;
  readonly fault: string | null;
  readonly onChange: (text: string) => void;
}

function Field({ action: { field }, text, fault, onChange }: FieldProps) {
  const id = useId();
  if (field === null) return null;
  return (
    <>
      <label htmlFor={id}>{field.label}</label>
      <textarea
        id={id}
        rows={5}
        value={text}
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        aria-invalid={fault !== null}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-hint`} className={fault === null ? "hint" : "hint hint-error"}>
        {fault ?? field.hint}
      </p>
      {field.schema !== undefined && (
        <details className="lines" open>
          <summary>Its JSON Schema</summary>
          <JsonView value={field.schema} label="JSON Schema" />
        </details>
      )}
    </>
  );
}

/** What a program would send: of many targets that of the first one. */
function Lines({ action, filled }: { readonly action: Action; readonly filled: FilledForm }) {
  const [first] = action.calls;
  if (first === undefined) return null;
  const command = commandLine(action, first, filled);
  return (
    <details className="lines" open>
      <summary>The same from a terminal</summary>
      <CommandLine name="curl" line={curlLine(location.origin, first.request(filled))} />
      {command !== null && <CommandLine name="holdfast" line={command} />}
    </details>
  );
}
