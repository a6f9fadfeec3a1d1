type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** An operation of the document, as far as it is read. */
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema } };
  };
}

/** The OpenAPI document, as far as it is read. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What a request can say: a part of its path, query or headers, or a property of its body. */
interface Field {
  readonly in: Parameter["in"] | "body";
  readonly required: boolean;
  readonly schema: Schema;
}

/**
 * The requests of all operations as a table, from which the command makes its verbs and `holdfast
 * mcp` its tools. Without the one that submits at a collection: `submitTask` does the same for
 * every workflow.
 */
export function operationTable(document: Document): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.includes("collections"))
      .map(
        ([method, described]) =>
          [described.operationId, entryOf(described, { method, path, document })] as const,
      ),
  );
  const table = JSON.stringify(Object.fromEntries(entries), null, 2);
  return `export const operations = ${table} as const;\n`;
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly document: Document;
}

function entryOf(described: Described, { method, path, document }: Place): object {
  const { summary, description = "", security, requestBody } = described;
  const schema = requestBody?.content["application/json"].schema;
  // What has a name is a document of its own, and no set of options.
  const body = schema?.["$ref"] === undefined ? schema && inlined(schema, document) : {};
  const fields = [...parameterFields(described), ...bodyFields(body)];
  const names = fields.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${described.operationId} has two fields ${twice}.`);
  return {
    method: method.toUpperCase(),
    path,
    summary: summary.replace(/^Operators: /, ""),
    description,
    needsToken: security.length > 0,
    // A body that is no object of known properties is sent as it is.
    hasPlainBody: body !== undefined && body["properties"] === undefined,
    fields: Object.fromEntries(fields),
  };
}

const parameterFields = ({ parameters = [] }: Described): readonly (readonly [string, Field])[] =>
  parameters.map(({ in: place, name, required = false, description, schema }) => [
    name,
    {
      in: place,
      required,
      schema: description === undefined ? schema : { ...schema, description },
    },
  ]);

function bodyFields(body: Schema | undefined): readonly (readonly [string, Field])[] {
  const required = (body?.["required"] ?? []) as readonly string[];
  const properties = (body?.["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  return Object.entries(properties).map(([name, schema]) => [
    name,
    { in: "body", required: required.includes(name), schema },
  ]);
}

/** The schema with its named parts in their places: the table stands by itself. */
function inlined(schema: Schema, document: Document): Schema {
  return JSON.parse(JSON.stringify(schema), (_, part: unknown) => {
    const name = (part as { readonly $ref?: string } | null)?.$ref?.replace(/^.*\//, "");
    const found = name === undefined ? undefined : document.components.schemas[name];
    return found === undefined ? part : inlined(found, document);
  }) as Schema;
}
