import type { Json } from "@holdfast/domain";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A schema of any library that follows Standard Schema and can also be written down as JSON Schema,
 * such as zod. The former checks values here, the latter tells programs in other languages.
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>;
}

/** What goes into a schema: JSON as it is on the wire and in the state store. */
export type InputOf<S extends Schema> = StandardSchemaV1.InferInput<S>;
/** What comes out of a schema, checked. */
export type OutputOf<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/**
 * The JSON Schema (draft 7) of what a schema makes of a value; null: it cannot be written as one,
 * such as that of a transformation. Fields that it does not know are let in: readers accept what a
 * newer writer adds.
 */
export function outputSchemaOf(schema: Schema): { readonly [key: string]: Json } | null {
  try {
    return openObjects(schema["~standard"].jsonSchema.output({ target: "draft-07" }) as JsonObject);
  } catch {
    return null;
  }
}

/**
 * The JSON Schema (draft 7) of what a schema takes, as `outputSchemaOf` does for what it makes of
 * it.
 */
export function inputSchemaOf(schema: Schema): { readonly [key: string]: Json } | null {
  try {
    return openObjects(jsonSchemaOf(schema));
  } catch {
    return null;
  }
}

interface JsonObject {
  readonly [key: string]: Json;
}

const openObjects = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => keyword !== "additionalProperties" || value !== false)
      .map(([keyword, value]) => [keyword, openIn(value)]),
  );

function openIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(openIn);
  return typeof value === "object" && value !== null ? openObjects(value as JsonObject) : value;
}

/** A part of a schema, as zod says which it is. */
interface Definition {
  readonly type?: unknown;
  readonly coerce?: unknown;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly innerType?: unknown;
  readonly valueType?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly left?: unknown;
  readonly right?: unknown;
  readonly options?: readonly unknown[];
  readonly items?: readonly unknown[];
}

/** Types of a language that no JSON is, with what to write instead. */
const noJson: Readonly<Record<string, string>> = {
  date: "a Date cannot be JSON: use z.iso.datetime()",
  bigint: "a bigint cannot be JSON: use z.string(), or z.int() where a number will do",
  map: "a Map cannot be JSON: use z.record()",
  set: "a Set cannot be JSON: use z.array()",
  symbol: "a symbol cannot be JSON: use z.literal() or z.enum()",
  nan: "NaN cannot be JSON: use null",
  file: "a File cannot be JSON: use its address",
};

interface Way {
  /** What goes into the schema, or what comes out of it. */
  readonly way: "input" | "output";
  /**
   * Whether what the schema makes of JSON by itself is taken, as `z.coerce.date()` does of a text.
   */
  readonly mayCoerce?: boolean;
}

/**
 * The first part of a schema that no JSON is, such as `/when: a Date cannot be JSON: use
 * z.iso.datetime()`; null: there is none that is known.
 */
export function partThatIsNoJson(
  schema: unknown,
  { way, mayCoerce = false }: Way,
  seen: ReadonlySet<unknown> = new Set(),
): string | null {
  const { def } = (schema ?? {}) as { readonly def?: Definition };
  if (def === undefined || seen.has(schema)) return null;
  const word = noJson[String(def.type)];
  if (word !== undefined) return mayCoerce && def.coerce === true ? null : `: ${word}`;
  const within = new Set([...seen, schema]);
  for (const [key, part] of partsOf(def, way)) {
    const found = partThatIsNoJson(part, { way, mayCoerce }, within);
    if (found !== null) return `${key}${found}`;
  }
  return null;
}

function partsOf(def: Definition, way: Way["way"]): readonly (readonly [string, unknown])[] {
  const fields = Object.entries(def.shape ?? {}).map(
    ([name, part]) => [`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, part] as const,
  );
  const items = (def.items ?? []).map((part, index) => [`/${index}`, part] as const);
  const each = [def.element, def.valueType].map((part) => ["/*", part] as const);
  const same = [def.innerType, def.left, def.right, ...(def.options ?? [])];
  // What a transformation is given and makes are two schemas.
  const piped = way === "input" ? def.in : def.out;
  return [...fields, ...items, ...each, ...[...same, piped].map((part) => ["", part] as const)];
}

/** The JSON Schema (draft 7) of what a schema takes. */
export const jsonSchemaOf = (schema: Schema): { readonly [key: string]: Json } =>
  schema["~standard"].jsonSchema.input({ target: "draft-07" }) as { [key: string]: Json };
