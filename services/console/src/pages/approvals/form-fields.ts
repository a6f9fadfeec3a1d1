import { parseJsonText } from "@holdfast/domain/json-text";
import { jsonFault } from "../../parts/json-fault.ts";

/** One field of a form, as it is filled in. */
export interface FormField {
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  readonly hint: string;
  readonly kind: "text" | "number" | "boolean" | "choice";
  /** The values of a choice, each as it is shown and as it is sent. */
  readonly choices: readonly Choice[];
  readonly isRequired: boolean;
  /** What stands there at first. */
  readonly initial: string;
}

interface Choice {
  readonly text: string;
  readonly value: Scalar;
}

type Scalar = string | number | boolean;

/** What stands in each field, by its name. A box that is ticked is `true`. */
export type FilledFields = ReadonlyMap<string, string>;

/** What was filled in, or the fault of each field by its name. */
export interface ReadForm {
  readonly form: Readonly<Record<string, Scalar>>;
  readonly faults: ReadonlyMap<string, string>;
}

/**
 * The fields for what a JSON Schema asks: those of an object whose values are texts, numbers, yes
 * or no, or one of some. Null: it asks for more than fields can give, so it is filled in as JSON.
 */
export function fieldsOf(schema: unknown): readonly FormField[] | null {
  const { type, properties, required = [] } = partsOf(schema);
  if (type !== "object" || !isObject(properties) || hasBranches(schema)) return null;
  const names = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(properties).map(([name, one]) => fieldOf(name, one, names));
  const known = fields.filter((field) => field !== null);
  // What is required and has no field could not be filled in.
  const isWhole = [...names].every((name) => known.some((field) => field.name === name));
  return known.length === fields.length && isWhole ? known : null;
}

/** Reads what was filled in. What is left empty is left out. */
export function readFields(fields: readonly FormField[], filled: FilledFields): ReadForm {
  const form: [string, Scalar][] = [];
  const faults = new Map<string, string>();
  for (const field of fields) {
    const { value, fault } = readField(field, filled.get(field.name) ?? field.initial);
    if (fault !== null) faults.set(field.name, fault);
    if (value !== undefined) form.push([field.name, value]);
  }
  return { form: Object.fromEntries(form), faults };
}

interface Keywords {
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly anyOf?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const partsOf = (schema: unknown): Keywords => (isObject(schema) ? schema : {});

/** Keywords by which a value may have one of several forms. */
const branches = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if"];

const hasBranches = (schema: unknown): boolean =>
  branches.some((keyword) => Object.hasOwn(partsOf(schema), keyword));

function fieldOf(name: string, schema: unknown, required: ReadonlySet<unknown>): FormField | null {
  const { type, title, description, default: initial } = partsOf(schema);
  const choices = choicesOf(schema);
  const kind = choices === null ? kindOf(type, schema) : "choice";
  if (kind === null) return null;
  return {
    name,
    label: typeof title === "string" ? title : name,
    hint: typeof description === "string" ? description : "",
    kind,
    choices: choices ?? [],
    isRequired: required.has(name),
    initial: isScalar(initial) ? String(initial) : "",
  };
}

function kindOf(type: unknown, schema: unknown): FormField["kind"] | null {
  if (hasBranches(schema)) return null;
  if (type === "integer" || type === "number") return "number";
  if (type === "string") return "text";
  return type === "boolean" ? "boolean" : null;
}

/** The values of which a field has one; null: it is no choice. */
function choicesOf(schema: unknown): readonly Choice[] | null {
  const { enum: some, anyOf } = partsOf(schema);
  const values = Array.isArray(anyOf) ? anyOf.map((one) => partsOf(one).const) : some;
  if (!Array.isArray(values) || values.length === 0 || !values.every(isScalar)) return null;
  return values.map((value) => ({ text: String(value), value }));
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

interface ReadValue {
  /** What is sent; undefined: it is left empty. */
  readonly value: Scalar | undefined;
  readonly fault: string | null;
}

function readField({ kind, choices, isRequired }: FormField, text: string): ReadValue {
  if (kind === "boolean") return { value: text === "true", fault: null };
  if (text === "") return { value: undefined, fault: isRequired ? "Fill this in." : null };
  if (kind === "number") return readNumber(text);
  if (kind === "text") return { value: text, fault: null };
  return { value: choices.find((one) => one.text === text)?.value, fault: null };
}

/** Digits that a number cannot hold are refused, and not rounded. */
function readNumber(text: string): ReadValue {
  const none = { value: undefined };
  try {
    const value = parseJsonText(text.trim());
    return typeof value === "number" ? { value, fault: null } : { ...none, fault: noNumber };
  } catch (error) {
    return { ...none, fault: error instanceof SyntaxError ? noNumber : jsonFault(error) };
  }
}

const noNumber = "This is no number: write it as 7 or 7.5.";
