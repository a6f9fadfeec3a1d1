import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { readField } from "../../actions/action.ts";
import { useConsole } from "../../api/console-context.ts";
import { refreshAll } from "../../api/queries.ts";
import type { Approval, Decision, DecisionAccepted } from "../../api/types.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { decisionCall, decisionLines, type Said } from "./decision.ts";
import { type FilledFields, fieldsOf, readFields } from "./form-fields.ts";
import { FormInputs, Hint } from "./form-inputs.tsx";

type Outcome =
  | { readonly kind: "accepted"; readonly answer: DecisionAccepted }
  | { readonly kind: "refused"; readonly error: unknown };

/** Approves or rejects a step. Nothing is shown as decided that the service has not said is. */
export function DecisionForm({ approval }: { readonly approval: Approval }) {
  const { api } = useConsole();
  const cache = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isAsking, setAsking] = useState(false);
  const decide = async (said: Said): Promise<void> => {
    setAsking(true);
    try {
      const answer = await api.ask<DecisionAccepted>(decisionCall(approval, said));
      setOutcome({ kind: "accepted", answer });
    } catch (error) {
      setOutcome({ kind: "refused", error });
    }
    setAsking(false);
    await refreshAll(cache);
  };
  if (outcome?.kind === "accepted") return <Accepted answer={outcome.answer} />;
  return (
    <>
      <Fields approval={approval} isAsking={isAsking} onDecide={(said) => void decide(said)} />
      {outcome !== null && (
        <div className="section-body">
          <ProblemNote error={outcome.error} />
        </div>
      )}
    </>
  );
}

function Accepted({ answer }: { readonly answer: DecisionAccepted }) {
  const { decision, approvals, quorum, isDecided } = answer;
  const what = decision === "approve" ? "You have approved it" : "You have rejected it";
  return (
    <p className="card-none" role="status">
      {isDecided ? `${what}: it is decided.` : `${what}: ${approvals} of ${quorum} have.`}
    </p>
  );
}

interface FieldsProps {
  readonly approval: Approval;
  readonly isAsking: boolean;
  readonly onDecide: (said: Said) => void;
}

function Fields({ approval, isAsking, onDecide }: FieldsProps) {
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
  fill(name: string, text: string): void;
  write(text: string): void;
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
