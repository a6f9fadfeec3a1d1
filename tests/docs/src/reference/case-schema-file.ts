import { load } from "./load.ts";

/** The JSON Schema of the cases of `holdfast test`, for editors. */
export async function caseSchemaFile(): Promise<string> {
  const { caseSchema } = await load("packages/testing/src/cases/case-schema.ts");
  return `${JSON.stringify(caseSchema, null, 2)}\n`;
}
