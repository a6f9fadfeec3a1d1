import type { Json } from "@holdfast/domain";
import { compileInput, type FieldFault, pointerPart } from "./check-input.ts";
import { schemaCompiler } from "./schema-compiler.ts";

type JsonSchema = { readonly [key: string]: Json };

const compileNew = (schema: JsonSchema) => compileInput(schema, { isStored: false });

/** The schemas of a definition that cannot be compiled: of its input, and of the contracts of its operations. */
export function schemaFaults(json: unknown): readonly FieldFault[] {
  const { inputSchema, inputs, outputs } = objectOf(json);
  const compile = schemaCompiler({ allErrors: false, validateSchema: true });
  const contractFaults = Object.entries({ inputs, outputs }).flatMap(([field, contracts]) =>
    Object.entries(objectOf(contracts)).flatMap(([operation, schema]) =>
      faultOf(`/${field}/${pointerPart(operation)}`, schema, compile),
    ),
  );
  return [...faultOf("/inputSchema", inputSchema, compileNew), ...contractFaults];
}

function faultOf(
  pointer: string,
  schema: unknown,
  compile: (schema: JsonSchema) => unknown,
): readonly FieldFault[] {
  try {
    compile(objectOf(schema) as JsonSchema);
    return [];
  } catch (error) {
    const detail = `is no JSON Schema that can be compiled: ${(error as Error).message}`;
    return [{ pointer, detail }];
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
