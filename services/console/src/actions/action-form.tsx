import { type FormEvent, useId, useState } from "react";
import { useSession } from "../api/console-context.ts";
import { CommandLine } from "../parts/command-line.tsx";
import {
  type Action,
  type ActionField,
  commandLine,
  curlLine,
  requestOf,
  type Wish,
} from "./action.ts";

interface Props {
  readonly action: Action;
  readonly onRun: (wish: Wish) => void;
  readonly onClose: () => void;
}

/** Who acts and why, and what is sent then. */
export function ActionForm({ action, onRun, onClose }: Props) {
  const { actor: known } = useSession();
  const [actor, setActor] = useState(known);
  const [reason, setReason] = useState("");
  const [text, setText] = useState(action.field?.initial ?? "");
  const field = readField(action.field, text);
  const wish = { actor, reason, field: field.value };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (field.fault === null) onRun(wish);
  };
  const looks = action.isDangerous ? "button-danger-full" : "button-primary";
  return (
    <form className="dialog-body" onSubmit={submit}>
      <p>{action.explain}</p>
      <Field action={action} text={text} fault={field.fault} onChange={setText} />
      <Words label="Reason" value={reason} hint="why" max={1_000} isFirst onChange={setReason} />
      <Words label="Who acts" value={actor} hint="ada@example.com" max={100} onChange={setActor} />
      <Lines action={action} wish={{ ...wish, reason: reason || "…", actor: actor || "…" }} />
      <footer className="dialog-foot">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        <button type="submit" className={`button ${looks}`} disabled={field.fault !== null}>
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
    </>
  );
}

/** What a program would send: of many targets that of the first one. */
function Lines({ action, wish }: { readonly action: Action; readonly wish: Wish }) {
  const [first] = action.calls;
  if (first === undefined) return null;
  const command = commandLine(action, first, wish);
  return (
    <details className="lines" open>
      <summary>The same from a terminal</summary>
      <CommandLine name="curl" line={curlLine(location.origin, requestOf(action, first, wish))} />
      {command !== null && <CommandLine name="holdfast" line={command} />}
    </details>
  );
}

interface ReadField {
  /** The value; undefined: nothing was given. */
  readonly value: unknown;
  readonly fault: string | null;
}

/** Reads the JSON of a field, or says what is wrong with it. */
function readField(field: ActionField | null, text: string): ReadField {
  if (field === null) return { value: undefined, fault: null };
  if (text.trim() === "") {
    return { value: undefined, fault: field.isRequired ? "Give JSON, such as {} or null." : null };
  }
  try {
    return { value: JSON.parse(text), fault: null };
  } catch (error) {
    return { value: undefined, fault: `This is not JSON: ${(error as Error).message}` };
  }
}
