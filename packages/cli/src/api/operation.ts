import type { operations as Requests } from "@holdfast/client";
import { operations } from "./operations.ts";

/** An operation of the OpenAPI document. */
export type OperationId = keyof typeof operations & keyof Requests;
export const operationIds = Object.keys(operations) as readonly OperationId[];

type Fields<Id extends OperationId> = (typeof operations)[Id]["fields"];
type WithParts<F> = {
  [Name in keyof F & string]: F[Name] extends { readonly schema: { readonly properties: infer P } }
    ? `${Name}.${keyof P & string}`
    : never;
}[keyof F & string];

/**
 * What a request of the operation can say: a parameter, a property of its body, or a part of one as
 * `fairness.key`.
 */
export type FieldOf<Id extends OperationId> = (keyof Fields<Id> & string) | WithParts<Fields<Id>>;

type OrNothing<T> = [NonNullable<T>] extends [never] ? object : NonNullable<T>;
type Parameters<Id extends OperationId> = Requests[Id]["parameters"];
type Body<Id extends OperationId> = Requests[Id] extends {
  readonly requestBody?: { readonly content: { readonly "application/json": infer B } };
}
  ? B
  : never;

/** The fields of a request by their names, with the types that the document gives them. */
export type RequestOf<Id extends OperationId> = Partial<
  OrNothing<Parameters<Id>["query"]> &
    OrNothing<Parameters<Id>["header"]> &
    OrNothing<Parameters<Id>["path"]> &
    OrNothing<Body<Id>>
>;

type Whole<Name extends string> = Name extends `${infer First}.${string}` ? First : Name;

/** The fields of a request that have one of these names, or a part of that name. */
export type PartOf<Id extends OperationId, Name extends FieldOf<Id>> = Pick<
  RequestOf<Id>,
  Whole<Name> & keyof RequestOf<Id>
>;

/** A part of a JSON Schema, as far as options of a command are held to it. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: boolean | FieldSchema;
  readonly [keyword: string]: unknown;
}

export interface Field {
  readonly in: "path" | "query" | "header" | "body";
  readonly required: boolean;
  readonly schema: FieldSchema;
}

interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly needsToken: boolean;
  readonly hasPlainBody: boolean;
  readonly fields: Readonly<Record<string, Field>>;
}

export const operationOf = (id: OperationId): Operation => operations[id];

/** A field, or a part of one. */
export function fieldOf<Id extends OperationId>(id: Id, name: FieldOf<Id>): Field {
  const { fields } = operationOf(id);
  const [whole = "", part] = fields[name] === undefined ? name.split(".") : [name];
  const field = fields[whole];
  const schema = part === undefined ? field?.schema : field?.schema.properties?.[part];
  if (field === undefined || schema === undefined) throw new Error(`${id} has no field ${name}`);
  return part === undefined ? field : { in: field.in, required: false, schema };
}

/** The summary of an operation as a line of help has it. */
export const summaryOf = (id: OperationId): string => asHelp(operationOf(id).summary);

/** A sentence of the document as a line of help: without the capital and the full stop. */
export const asHelp = (sentence: string): string =>
  sentence.replace(/\.$/, "").replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
