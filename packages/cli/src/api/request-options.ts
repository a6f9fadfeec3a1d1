import { kindOf, valueOf } from "./field-value.ts";
import {
  asHelp,
  type Field,
  type FieldOf,
  fieldOf,
  type OperationId,
  type PartOf,
} from "./operation.ts";
import { UsageError } from "./usage-error.ts";
import type { Invocation, OptionSpec } from "./verb.ts";

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
  /** What was given. Throws a `UsageError` for what the document does not allow, or requires and is not there. */
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
