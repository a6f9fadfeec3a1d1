import { useId } from "react";
import type { FilledFields, FormField } from "./form-fields.ts";

interface InputsProps {
  readonly fields: readonly FormField[];
  readonly filled: FilledFields;
  readonly faults: ReadonlyMap<string, string>;
  readonly onFill: (name: string, text: string) => void;
}

/** The fields of a form, in the order of its schema. */
export function FormInputs({ fields, filled, faults, onFill }: InputsProps) {
  return fields.map((field) => (
    <Input
      key={field.name}
      field={field}
      text={filled.get(field.name) ?? field.initial}
      fault={faults.get(field.name) ?? null}
      onFill={(text) => onFill(field.name, text)}
    />
  ));
}

interface InputProps {
  readonly field: FormField;
  readonly text: string;
  readonly fault: string | null;
  readonly onFill: (text: string) => void;
}

function Input({ field, text, fault, onFill }: InputProps) {
  const id = useId();
  const { kind, label, hint, isRequired } = field;
  const shared = { id, "aria-describedby": `${id}-hint`, "aria-invalid": fault !== null };
  return (
    <div className={kind === "boolean" ? "field field-box" : "field"}>
      <label htmlFor={id}>
        {label}
        {!isRequired && kind !== "boolean" && <span className="muted"> · may be empty</span>}
      </label>
      {kind === "boolean" && (
        <input
          {...shared}
          type="checkbox"
          checked={text === "true"}
          onChange={({ target }) => onFill(String(target.checked))}
        />
      )}
      {kind === "choice" && (
        <select {...shared} value={text} onChange={({ target }) => onFill(target.value)}>
          <option value="">–</option>
          {field.choices.map((one) => (
            <option key={one.text}>{one.text}</option>
          ))}
        </select>
      )}
      {(kind === "text" || kind === "number") && (
        <input
          {...shared}
          value={text}
          inputMode={kind === "number" ? "decimal" : undefined}
          autoComplete="off"
          onChange={({ target }) => onFill(target.value)}
        />
      )}
      <Hint id={`${id}-hint`} hint={hint} fault={fault} />
    </div>
  );
}

interface HintProps {
  readonly id: string;
  readonly hint: string;
  readonly fault: string | null;
}

/** What a field is for, or what is wrong with what stands there. */
export const Hint = ({ id, hint, fault }: HintProps) => (
  <p id={id} className={fault === null ? "hint" : "hint hint-error"}>
    {fault ?? hint}
  </p>
);
