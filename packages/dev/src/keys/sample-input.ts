/** A JSON Schema, as far as an example is made from it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
}

const byFormat: Readonly<Record<string, string>> = {
  email: "ann@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "01a1fd8d-d928-77c8-96cb-353aaba1757f",
  date: "2026-01-31",
  time: "12:00:00Z",
  "date-time": "2026-01-31T12:00:00Z",
};

/** An input that the schema is likely to take: its examples and defaults, and simple values elsewhere. */
export function sampleInput(schema: object, name = "sample"): unknown {
  const known = schema as Schema;
  if (known.const !== undefined) return known.const;
  const [example] = [known.examples?.[0], known.default, known.enum?.[0]].filter(
    (one) => one !== undefined,
  );
  if (example !== undefined) return example;
  const [variant] = known.anyOf ?? known.oneOf ?? [];
  if (variant !== undefined) return sampleInput(variant, name);
  const [type = "string"] = [known.type].flat();
  return (byType[type] ?? sampleText)(known, name);
}

const sampleText = ({ format = "", minLength = 0 }: Schema, name: string): unknown =>
  byFormat[format] ?? name.padEnd(minLength, "x");

const sampleNumber = ({ minimum = 1, exclusiveMinimum = 0 }: Schema): unknown =>
  Math.max(1, minimum, exclusiveMinimum + 1);

const sampleObject = ({ properties = {}, required = [] }: Schema): unknown =>
  Object.fromEntries(required.map((key) => [key, sampleInput(properties[key] ?? {}, key)]));

const byType: Readonly<Record<string, (schema: Schema, name: string) => unknown>> = {
  object: sampleObject,
  array: ({ minItems = 0, items = {} }, name) =>
    Array.from({ length: minItems }, () => sampleInput(items, name)),
  integer: sampleNumber,
  number: sampleNumber,
  boolean: () => true,
  null: () => null,
};
