import {
  asHelp,
  type Field,
  type FieldOf,
  type FieldSchema,
  fieldOf,
  type OperationId,
  type PartOf,
} from "./operation.ts";
import { UsageError } from "./usage-error.ts";
import { instantOf, jsonOf, labelsOf, wholeOf } from "./values.ts";
import type { Invocation, Io, OptionSpec } from "./verb.ts";

/** What a verb says of an option beyond what the document says of its field. */
interface OptionWords {
  /** The option's name, where it is not that of the field. */
  readonly name?: string;
  readonly short?: string;
  /** What stands for its value in the help. */
  readonly value?: string;
  /** A help text in place of the field's description. */
  readonly help?: string;
  /** An instant: `+1h` stands for one. */
  readonly isInstant?: boolean;
  /** Taken when the option is not given. */
  readonly otherwise?: string;
}

/** Options of a verb that are fields of a request. */
export interface RequestOptions<Id extends OperationId, Name extends FieldOf<Id>> {
  readonly options: Readonly<Record<string, OptionSpec>>;
  /**
   * What was given. Throws a `UsageError` for what the document does not allow, or requires and is
   * not there.
   */
  read(invocation: Invocation): Promise<PartOf<Id, Name>>;
}

interface Option {
  readonly path: readonly string[];
  readonly name: string;
  readonly field: Field;
  readonly words: OptionWords;
}

/** Makes options of fields: their kinds of values, bounds and help come from the document. */
export function requestOptions<Id extends OperationId, Name extends FieldOf<Id>>(
  operation: Id,
  words: { readonly [One in Name]: OptionWords },
): RequestOptions<Id, Name> {
  const chosen = Object.entries<OptionWords>(words).map(
    ([name, own]): Option => ({
      path: name.split("."),
      name: own.name ?? optionName(name),
      field: fieldOf(operation, name as Name),
      words: own,
    }),
  );
  return {
    options: Object.fromEntries(
      chosen.map((option) => [option.name, specOf(option, operation)] as const),
    ),
    async read(invocation) {
      const request: Record<string, unknown> = {};
      for (const option of chosen) {
        const value = await readOption(option, invocation);
        if (value !== undefined) put(request, option.path, value);
      }
      return request as PartOf<Id, Name>;
    },
  };
}

/** `faultCode` is `--fault-code`, and `fairness.key` is `--fairness-key`. */
const optionName = (field: string): string =>
  field.replaceAll(".", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function specOf({ path, name, field, words }: Option, operation: OperationId): OptionSpec {
  const { schema } = field;
  const kind = kindOf(schema);
  const { short, value = valueName(kind, name), help = helpOf(field) } = words;
  return {
    type: kind === "flag" ? "boolean" : "string",
    help,
    field: { operation, name: path.join(".") },
    ...(kind === "pairs" ? { multiple: true } : {}),
    ...(short === undefined ? {} : { short }),
    ...(kind === "flag" ? {} : { value }),
    ...(schema.enum === undefined ? {} : { choices: schema.enum }),
  };
}

const valueName = (kind: ReturnType<typeof kindOf>, name: string): string => {
  if (kind === "json") return "JSON";
  return kind === "pairs" ? "NAME=VALUE" : (name.split("-").at(-1) ?? name).toUpperCase();
};

function helpOf({ schema }: Field): string {
  const said = asHelp(schema.description ?? "see the reference of the HTTP API");
  const kind = kindOf(schema);
  if (schema.enum !== undefined) return `${schema.enum.join(", ")}; ${said}`;
  if (kind === "json") return `${said}; @file or - too`;
  if (kind === "pairs") return `${said}; may be repeated`;
  return said;
}

async function readOption(
  { name, field, words }: Option,
  { flag, texts, io }: Invocation,
): Promise<unknown> {
  const { schema, required } = field;
  const { isInstant = false, otherwise } = words;
  const option = `--${name}`;
  if (kindOf(schema) === "flag" && !flag(name)) return undefined;
  const given = texts(name);
  if (given.length > 0) return valueOf({ texts: given, schema, option, isInstant, io });
  if (otherwise !== undefined) {
    return valueOf({ texts: [otherwise], schema, option, isInstant, io });
  }
  if (required) throw new UsageError(`Say ${option}: see --help`);
  return undefined;
}

function put(request: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", part] = path;
  if (part === undefined) request[name] = value;
  else request[name] = { ...(request[name] as object | undefined), [part]: value };
}

/** How the text of an option becomes the value of a field. */
type ValueKind = "flag" | "text" | "number" | "pairs" | "json";

/** The kind of value that a field has, by its schema. A query says `true` as a text. */
function kindOf({ type, properties, additionalProperties, ...schema }: FieldSchema): ValueKind {
  if (type === "boolean" || isFlag(schema)) return "flag";
  if (type === "string" || schema.enum !== undefined) return "text";
  if (type === "integer" || type === "number") return "number";
  const hasNamesOnly = properties === undefined && typeof additionalProperties === "object";
  return hasNamesOnly && additionalProperties.type === "string" ? "pairs" : "json";
}

const isFlag = (schema: object): boolean =>
  /"enum":\["true"\]|"const":"true"/.test(JSON.stringify(schema));

interface Given {
  readonly texts: readonly string[];
  readonly schema: FieldSchema;
  /** The option as the user wrote it, such as `--limit`. */
  readonly option: string;
  /** Whether `+1h` stands for an instant. */
  readonly isInstant: boolean;
  readonly io: Io;
}

/**
 * The value of a field that an option gives. Throws a `UsageError` for what the document does not
 * allow.
 */
async function valueOf({ texts, schema, option, isInstant, io }: Given): Promise<unknown> {
  const [text = ""] = texts;
  switch (kindOf(schema)) {
    case "flag":
      return schema.type === "boolean" ? true : "true";
    case "json":
      return jsonOf(text, option, io);
    case "pairs":
      return labelsOf(texts);
    case "number":
      return numberOf(text, schema, option);
    case "text":
      return checked(isInstant ? instantOf(text, option) : text, schema, option);
  }
}

function checked(text: string, schema: FieldSchema, option: string): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  const about = schema.description ?? "see --help";
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    throw new UsageError(`${option} ${text} must be one of ${schema.enum.join(", ")}`);
  }
  if (text.length < minLength || text.length > maxLength) {
    throw new UsageError(
      `${option} must have ${minLength} to ${maxLength} characters, and has ${text.length}`,
    );
  }
  if (pattern !== undefined && !new RegExp(pattern).test(text)) {
    throw new UsageError(`${option} ${JSON.stringify(text)} cannot be sent. ${about}`);
  }
  return text;
}

function numberOf(text: string, { type, minimum, maximum }: FieldSchema, option: string): number {
  const isWhole = type === "integer";
  // Without a maximum, what is large is lowered by the service, however many digits it has.
  if (isWhole && maximum === undefined && /^\d+$/.test(text) && wholeOf(text) >= (minimum ?? 0))
    return wholeOf(text);
  const grammar = isWhole ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/;
  const number = grammar.test(text) ? Number(text) : Number.NaN;
  if (number >= (minimum ?? number) && number <= (maximum ?? number)) return number;
  throw new UsageError(
    `${option} ${text} must be a ${isWhole ? "whole number" : "number"} from ${minimum ?? "any"} ${maximum === undefined ? "on" : `to ${maximum}`}`,
  );
}
