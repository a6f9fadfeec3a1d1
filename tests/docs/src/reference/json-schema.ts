/** A JSON Schema, as far as the reference pages show it. */
export interface Schema {
  /** Several: null is one of two. */
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: string | number | boolean;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly $comment?: string;
  readonly holdfastDuration?: { readonly least: string; readonly most: string };
}

/** A field of an object, those of objects within it included. */
export interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

const code = (value: unknown): string => (value === "" ? "empty" : `\`${String(value)}\``);

/** The fields of an object in their order, each by its path. */
export function fieldsOf(schema: Schema, path = ""): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const own = path === "" ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ path: own, schema: inner, isRequired }, ...nested(inner, own)];
  });
}

function nested(schema: Schema, path: string): readonly Field[] {
  if (schema.items !== undefined) return itemFields(schema.items, `${path}[]`);
  const { anyOf } = schema;
  if (anyOf === undefined) return fieldsOf(schema, path);
  const [one, other] = anyOf;
  if (one !== undefined && other?.type === "null") return nested(one, path);
  return anyOf.flatMap((variant) => {
    const kind = variant.properties?.["kind"]?.const;
    return typeof kind === "string" ? fieldsOf(variant, `${path} (${kind})`) : [];
  });
}

/** Items of several kinds: those of the first have no `kind`, and the others say theirs. */
function itemFields(items: Schema, path: string): readonly Field[] {
  const [plain, ...kinds] = items.anyOf ?? [];
  const ofKinds = kinds.every(({ properties }) => properties?.["kind"]?.const !== undefined);
  if (plain === undefined || kinds.length === 0 || !ofKinds) return fieldsOf(items, path);
  return [
    ...fieldsOf(plain, path),
    ...kinds.flatMap((kind) =>
      fieldsOf(kind, `${path} (${String(kind.properties?.["kind"]?.const)})`),
    ),
  ];
}

/** The type of a value and its bounds, in words. */
export function typeOf(schema: Schema): string {
  const { type } = schema;
  if (Array.isArray(type)) return `${typeOf({ ...schema, type: type[0] as string })}, or null`;
  const { anyOf, enum: values, holdfastDuration: duration } = schema;
  if (schema.$comment?.startsWith("A payload") === true) return "JSON, bounded as a payload";
  if (schema.$ref !== undefined) return linkTo(schema.$ref);
  if (schema.const !== undefined) return code(schema.const);
  if (values !== undefined) return values.map(code).join(", ");
  if (anyOf !== undefined) return unionOf(anyOf);
  if (duration !== undefined) return `duration, ${duration.least} to ${duration.most}`;
  if (schema.type === "integer") return `integer${rangeOf(schema.minimum, schema.maximum)}`;
  if (schema.type === "string") return textOf(schema);
  if (type !== "array") return typeof type === "string" ? type : "any JSON";
  const of = schema.items?.$ref === undefined ? "" : ` of ${linkTo(schema.items.$ref)}`;
  return `array${of}${schema.maxItems === undefined ? "" : `, at most ${schema.maxItems} items`}`;
}

/** Named schemas that have a page to themselves. */
export const ownPages: Readonly<Record<string, string>> = { WorkflowDefinition: "definition.md" };

export const linkTo = (ref: string): string => {
  const name = ref.replace("#", "");
  return `[${name}](${ownPages[name] ?? `#${name.toLowerCase()}`})`;
};

const unionOf = (variants: readonly Schema[]): string =>
  variants.every(({ properties }) => properties !== undefined)
    ? "object, one of those below"
    : variants.map(variantOf).join(", ").replace(", null", ", or null");

/**
 * One of several types. The parts of an object that stands beside a text have no rows of their own.
 */
const variantOf = (variant: Schema, _: number, all: readonly Schema[]): string =>
  variant.properties === undefined || all.some(({ type }) => type === "null")
    ? typeOf(variant)
    : `object of ${Object.keys(variant.properties).map(code).join(", ")}`;

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}

function textOf({ minLength, maxLength, pattern, format }: Schema): string {
  if (format === "date-time") return "instant";
  if (pattern?.startsWith("^[0-9a-f]{8}-") === true) return "UUID in lower case";
  const length = rangeOf(minLength, maxLength);
  return `text${length === "" ? "" : `${length} characters`}`;
}

/** A table of Markdown, its columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = (cells[0] ?? []).map((_, at) =>
    Math.max(3, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
