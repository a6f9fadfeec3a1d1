import { limits } from "../limits/limits.ts";
import { unknownIn, unsupportedIn } from "../schema/dialect.ts";
import { openMeter } from "../schema/meter.ts";
import { mostExpanded, readPlainSchema } from "../schema/plain-schema.ts";
import type { JsonSchema } from "../schema/schema-keywords.ts";
import { compileInput, type FieldFault, pointerPart } from "./check-input.ts";
import { mustBeSchema, schemaCompiler } from "./schema-compiler.ts";

/**
 * The schemas of a definition that cannot be used: of its input, of the contracts of its
 * operations, of its signals and of its forms. One schema at a time, since a definition may have
 * many, and to compile one takes as long as an event loop may stand still.
 */
export function* schemaChecks(json: unknown): Generator<readonly FieldFault[], void> {
  const schemas = schemasOf(json);
  let isUsable = true;
  for (const faults of unsupportedInEach(json)) {
    isUsable &&= faults.length === 0;
    yield faults;
  }
  if (!isUsable) return;
  const compile = schemaCompiler({ allErrors: false });
  for (const [pointer, schema] of schemas) {
    const broken = faultsIn(pointer, () => mustBeSchema(schema));
    yield broken;
    if (broken.length > 0) continue;
    yield faultsIn(pointer, () => (isOfSenders(pointer) ? compileInput(schema) : compile(schema)));
  }
}

/** Whether what is sent to the engine is held to the schema: then it is closed before its use. */
const isOfSenders = (pointer: string): boolean =>
  pointer === "/inputSchema" || pointer.startsWith("/signals/") || pointer.startsWith("/forms/");

function faultsIn(pointer: string, use: () => unknown): readonly FieldFault[] {
  try {
    use();
    return [];
  } catch (error) {
    return [{ pointer, detail: noSchema(error) }];
  }
}

/**
 * What the schemas of a definition say and a release cannot check in bounded time. A definition
 * that is stored may have such parts, from an earlier release: they allow everything. Compiles
 * nothing, and so takes little time.
 */
export const unsupportedParts = (json: unknown): readonly FieldFault[] =>
  [...unsupportedInEach(json)].flat();

/** The keywords of a definition's schemas that are none of JSON Schema, and may be misspelt. */
export const unknownKeywords = (json: unknown): readonly FieldFault[] =>
  schemasOf(json).flatMap(([pointer, schema]) =>
    unknownIn(schema).map((part) => ({ ...part, pointer: `${pointer}${part.pointer}` })),
  );

/** `unsupportedParts`, one schema at a time. */
export function* unsupportedInEach(json: unknown): Generator<readonly FieldFault[], void> {
  for (const [pointer, schema] of schemasOf(json)) yield faultsOf(pointer, schema);
}

function faultsOf(pointer: string, schema: JsonSchema): readonly FieldFault[] {
  try {
    const { leftOut, isEndless, expandedSize } = readPlainSchema(schema, openMeter());
    return [
      ...unsupportedIn(schema).map((part) => ({ ...part, pointer: `${pointer}${part.pointer}` })),
      ...leftOut.map((part) => ({ ...part, pointer: `${pointer}${part.pointer}` })),
      ...(isEndless
        ? [{ pointer, detail: "has a part that refers to itself without going deeper" }]
        : []),
      ...(expandedSize > mostExpanded
        ? [
            {
              pointer,
              detail: `has more than ${mostExpanded} parts, each reference counted as what it stands for: say less of it`,
            },
          ]
        : []),
    ];
  } catch (error) {
    return [{ pointer, detail: noSchema(error) }];
  }
}

const noSchema = (error: unknown): string =>
  `is no JSON Schema that can be compiled: ${(error as Error).message}`.slice(0, limits.words);

/** The schemas of a definition, with the pointers to them. */
export function schemasOf(
  json: unknown,
): readonly (readonly [pointer: string, schema: JsonSchema])[] {
  const { inputSchema, inputs, outputs, signals, forms } = objectOf(json);
  const contracts = Object.entries({ inputs, outputs, signals, forms }).flatMap(
    ([field, schemas]) =>
      Object.entries(objectOf(schemas)).map(
        ([name, schema]) => [`/${field}/${pointerPart(name)}`, schema] as const,
      ),
  );
  return [["/inputSchema", inputSchema] as const, ...contracts].map(
    ([pointer, schema]) => [pointer, objectOf(schema) as JsonSchema] as const,
  );
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
