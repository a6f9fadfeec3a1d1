import { Type } from "typebox";

/** Schemas of what is answered. Each says in one sentence what it means. */

/** Any JSON. */
export const json = (description: string) => Type.Unsafe<unknown>({ description });
export const text = (description: string) => Type.String({ description });
export const instant = (description: string) => Type.String({ format: "date-time", description });
export const count = (description: string) => Type.Integer({ description });
export const amount = (description: string) => Type.Number({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const texts = (description: string) => Type.Array(Type.String(), { description });

const noNull = { type: "null" } as const;
/** Allows null beside a schema, whose description it takes over. */
export function nullable<T extends Type.TSchema>(schema: T) {
  const { description, ...rest } = schema as T & { readonly description?: string };
  return Type.Unsafe<Type.Static<T> | null>({ anyOf: [rest, noNull], description });
}

/** A schema that the document names, with what it is, and a body as it may be. */
export const named = <T extends Record<string, Type.TSchema>>(
  $id: string,
  description: string,
  properties: T,
  example?: object,
) =>
  Type.Object(properties, {
    $id,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });

/** The cursor of the next page of a list. */
export const next = nullable(text("The `after` of the next page; null: this is the last."));

/** A page of a list. */
export const page = ($id: string, item: Type.TSchema, description: string) =>
  named($id, `A page. ${description}`, { items: Type.Array(item, { description }), next });

/** A list that is bounded by what is installed, and answered as a whole. */
export const wholeList = ($id: string, item: Type.TSchema, description: string) =>
  named($id, `All of them. ${description}`, {
    items: Type.Array(item, { description }),
    next: nullable(text("Always null: the list is answered as a whole.")),
  });
