import { z } from "zod";
import { fieldOf, type OperationId, operationOf, type RequestOf } from "../api/operation.ts";

type NameOf<Id extends OperationId> = keyof RequestOf<Id> & string;
type InputOf<Id extends OperationId, Name extends NameOf<Id>> = {
  readonly [One in Name]: z.ZodType<RequestOf<Id>[One]>;
};

/** Fields of a request as input of a tool: with their types, bounds and descriptions of the document. */
export function toolInput<Id extends OperationId, Name extends NameOf<Id>>(
  operation: Id,
  ...names: readonly Name[]
): InputOf<Id, Name> {
  const entries = names.map((name) => {
    const { schema, required } = fieldOf(operation, name as never);
    const read = z.fromJSONSchema(schema as JsonSchema);
    return [name, required ? read : read.optional()] as const;
  });
  return Object.fromEntries(entries) as unknown as InputOf<Id, Name>;
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
