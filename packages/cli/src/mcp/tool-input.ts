import { ChangedJson, type Json, parseJsonText } from "@holdfast/domain";
import { z } from "zod";
import {
  type FieldSchema,
  fieldOf,
  type OperationId,
  operationOf,
  type RequestOf,
} from "../api/operation.ts";

type NameOf<Id extends OperationId> = keyof RequestOf<Id> & string;
type InputOf<Id extends OperationId, Name extends NameOf<Id>> = {
  readonly [One in Name]: z.ZodType<RequestOf<Id>[One]>;
};

/**
 * Fields of a request as input of a tool: with their types, bounds and descriptions of the
 * document.
 */
export function toolInput<Id extends OperationId, Name extends NameOf<Id>>(
  operation: Id,
  ...names: readonly Name[]
): InputOf<Id, Name> {
  const entries = names.map((name) => {
    const { schema, required } = fieldOf(operation, name as never);
    const read = meantBy(typeOf(schema), z.fromJSONSchema(schema as JsonSchema));
    return [name, required ? read : read.optional()] as const;
  });
  return Object.fromEntries(entries) as unknown as InputOf<Id, Name>;
}

/** The type that a value must have; undefined: it may have one of several. */
const typeOf = ({ type }: FieldSchema): string | undefined =>
  typeof type === "string" ? type : undefined;

/**
 * Reads an argument as it is meant: models and their clients write objects, lists, numbers and
 * `true` into texts. Where a text is asked for, it stays one. `type` is that of JSON Schema;
 * undefined: any JSON.
 */
export const meantBy = <Read extends z.ZodType>(
  type: string | undefined,
  read: Read,
): z.ZodType<z.output<Read>> =>
  (type === "string"
    ? read
    : z.preprocess((given, context) => {
        if (typeof given !== "string") return type === "integer" ? lowered(given) : given;
        try {
          const json = parseJsonText(given);
          if (!isMeant(json, type)) return given;
          return type === "integer" ? lowered(json) : json;
        } catch (error) {
          if (error instanceof ChangedJson) context.addIssue(error.message);
          return given;
        }
      }, read)) as z.ZodType<z.output<Read>>;

/** Lowers a whole number to the largest safe integer: the service lowers it further. */
const lowered = (given: unknown): unknown =>
  typeof given === "number" && given > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : given;

/**
 * Whether what a text holds is meant in its place. A text is as good as any other scalar, where any
 * JSON is.
 */
function isMeant(json: Json, type: string | undefined): boolean {
  if (typeof json === "number") return type === "integer" || type === "number";
  if (typeof json === "boolean") return type === "boolean";
  return typeof json === "object" && json !== null;
}

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0] & object;

/** What was given, without what was not. */
export const given = <Input extends object>(
  input: Input,
): { readonly [Name in keyof Input]?: Exclude<Input[Name], undefined> } =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;

/** What the document says of an operation, and what there is to say to a model besides. */
export function toolDescription(operation: OperationId, ...more: readonly string[]): string {
  const { summary, description } = operationOf(operation);
  const first = `${summary[0]?.toUpperCase()}${summary.slice(1)}`;
  return [first, description, ...more].filter((sentence) => sentence !== "").join(" ");
}
