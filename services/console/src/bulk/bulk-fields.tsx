import { useId } from "react";
import type { BulkForm, ReadBulkForm } from "./bulk-wish.ts";

interface Props {
  readonly form: BulkForm;
  readonly faults: ReadBulkForm["faults"];
  readonly hasOutput: boolean;
  readonly onChange: (change: Partial<BulkForm>) => void;
}

/** How careful, why, and who. */
export function BulkFields({ form, faults, hasOutput, onChange }: Props) {
  const field = (name: keyof BulkForm) => ({
    value: form[name],
    fault: faults[name] ?? null,
    onChange: (value: string) => onChange({ [name]: value }),
  });
  return (
    <>
      {hasOutput && (
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
