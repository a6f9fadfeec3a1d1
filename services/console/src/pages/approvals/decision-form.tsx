import { type FormEvent, useId, useState } from "react";
import { readField } from "../../actions/action.ts";
import type { Approval, Decision } from "../../api/types.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { decisionLines, type Said } from "./decision.ts";
import { type FilledFields, fieldsOf, readFields } from "./form-fields.ts";
import { FormInputs, Hint } from "./form-inputs.tsx";

interface Props {
  readonly approval: Approval;
  readonly isAsking: boolean;
  readonly onDecide: (said: Said) => void;
}

/** What one fills in who approves, and why one approves or rejects. */
export function DecisionForm({ approval, isAsking, onDecide }: Props) {
  const { form: schema } = approval;
  const [reason, setReason] = useState("");
  const [wanted, setWanted] = useState<Decision["decision"] | null>(null);
  const filling = useFilling(schema);
  const said = (decision: Decision["decision"]): Said => ({ decision, reason, form: filling.form });
  const lacksReason = wanted === "reject" && reason.trim() === "";
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const button = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null;
    const decision = button?.value === "reject" ? "reject" : "approve";
    setWanted(decision);
    const isComplete = decision === "reject" ? reason.trim() !== "" : !filling.hasFault;
    if (isComplete) onDecide(said(decision));
  };
  return (
    <form className="section-body decision-form" onSubmit={submit} noValidate>
      {schema !== null && <Filling filling={filling} isTold={wanted === "approve"} />}
      <Reason reason={reason} isMissed={lacksReason} onChange={setReason} />
      <div className="buttons">
        <button type="submit" value="approve" className="button button-primary" disabled={isAsking}>
          Approve
        </button>
        <button type="submit" value="reject" className="button button-danger" disabled={isAsking}>
          Reject
        </button>
      </div>
      <Lines approval={approval} said={said(wanted ?? "approve")} />
    </form>
  );
}

interface ReasonProps {
  readonly reason: string;
  readonly isMissed: boolean;
  readonly onChange: (reason: string) => void;
}

function Reason({ reason, isMissed, onChange }: ReasonProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Reason</label>
      <textarea
        id={id}
        rows={2}
        value={reason}
        maxLength={2_000}
        className="plain-text"
        aria-describedby={`${id}-hint`}
        aria-invalid={isMissed}
        onChange={(event) => onChange(event.target.value)}
      />
      <Hint
        id={`${id}-hint`}
        hint="One who rejects decides alone, and says why. An approval may have a reason."
        fault={isMissed ? "Say why you reject it." : null}
      />
    </div>
  );
}

/** What is filled in of a form, as fields or as JSON. */
interface FillingState {
  readonly schema: unknown;
  readonly fields: ReturnType<typeof fieldsOf>;
  readonly filled: FilledFields;
  readonly text: string;
  readonly faults: ReadonlyMap<string, string>;
  readonly hasFault: boolean;
  /** What is sent; undefined: nothing is asked for. */
  readonly form: unknown;
  readonly fill: (name: string, text: string) => void;
  readonly write: (text: string) => void;
}

/** The name under which the fault of a form stands that is filled in as JSON. */
const whole = "";

function useFilling(schema: unknown): FillingState {
  const [filled, setFilled] = useState<FilledFields>(new Map());
  const [text, setText] = useState("{}");
  const fields = fieldsOf(schema);
  const fill = (name: string, value: string): void => setFilled(new Map(filled).set(name, value));
  const state = { schema, fields, filled, text, fill, write: setText };
  if (schema === null) return { ...state, faults: new Map(), hasFault: false, form: undefined };
  if (fields !== null) {
    const { form, faults } = readFields(fields, filled);
    return { ...state, faults, hasFault: faults.size > 0, form };
  }
  const { field, fault } = readField({ ...asJson, label: "", hint: "" }, text);
  const faults = new Map(fault === null ? [] : [[whole, fault]]);
  return { ...state, faults, hasFault: fault !== null, form: field };
}

const asJson = { isRequired: true, initial: "{}", option: "--form" } as const;

/** The fields of a form. Before one has tried to approve, what is missing is no fault. */
function Filling({
  filling,
  isTold,
}: {
  readonly filling: FillingState;
  readonly isTold: boolean;
}) {
  const id = useId();
  const { fields, filled, faults, schema, text, fill, write } = filling;
  if (fields !== null) {
    return (
      <FormInputs
        fields={fields}
        filled={filled}
        faults={isTold ? faults : new Map()}
        onFill={fill}
      />
    );
  }
  const fault = faults.get(whole) ?? null;
  return (
    <div className="field">
      <label htmlFor={id}>What you fill in (JSON)</label>
      <textarea
        id={id}
        rows={6}
        value={text}
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        aria-invalid={fault !== null}
        onChange={(event) => write(event.target.value)}
      />
      <Hint id={`${id}-hint`} hint="Its workflow says which form that has." fault={fault} />
      <details className="lines" open>
        <summary>Its JSON Schema</summary>
        <JsonView value={schema} label="JSON Schema" />
      </details>
    </div>
  );
}

/** What a program would send with a key of one's own. */
function Lines({ approval, said }: { readonly approval: Approval; readonly said: Said }) {
  const { curl, holdfast } = decisionLines(approval, said, location.origin);
  return (
    <details className="lines">
      <summary>The same from a terminal</summary>
      <CommandLine name="curl" line={curl} />
      <CommandLine name="holdfast" line={holdfast} />
    </details>
  );
}
