import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOf, readFile } from "../repository.ts";
import { fieldsOf, type Schema, table, typeOf } from "./json-schema.ts";
import { load } from "./load.ts";

const loadSchema = async (): Promise<Schema> =>
  (await load("packages/contracts/src/definition/definition-schema.ts"))[
    "definitionSchema"
  ] as Schema;

/** The fields of docs/reference/definition.md, and the workflow of the guide as JSON. */
export async function definitionPage(): Promise<string> {
  const rows = fieldsOf(await loadSchema()).map(({ path, schema, isRequired }) => [
    `\`${path}\``,
    typeOf(schema),
    isRequired ? "yes" : "no",
    schema.description ?? missing(path),
  ]);
  const fields = table([["field", "type and bounds", "required", "meaning"], ...rows]);
  const json = withShortLists(JSON.stringify(await guidesWorkflow(), null, 2));
  return `## Fields\n\n${fields}\n\n## The workflow of the guide\n\n\`\`\`json\n${json}\n\`\`\``;
}

/** The JSON Schema of a definition, for editors and for programs that make one. */
export async function definitionSchemaFile(): Promise<object> {
  const { $id: title, ...schema } = (await loadSchema()) as Schema & { readonly $id: string };
  return { $schema: "http://json-schema.org/draft-07/schema#", title, ...schema };
}

/** Writes lists of plain values on one line, as the formatter does. */
const withShortLists = (json: string): string =>
  json.replaceAll(
    /\[\n\s*([^[\]{}]*?)\n\s*\]/g,
    (_, items: string) => `[${items.replaceAll(/,\n\s*/g, ", ")}]`,
  );

function missing(path: string): never {
  throw new Error(`${path} has no description: give its schema one, one sentence.`);
}

const guide = "docs/guides/workflows.md";
/** The folder with the packages that the code of the guide imports. */
const home = "tests/readme";

/** Runs the code of the guide that defines its workflow, and returns what it makes. */
async function guidesWorkflow(): Promise<unknown> {
  const folder = mkdtempSync(join(pathOf(home), ".guide-"));
  try {
    const blocks = readFile(guide).matchAll(/```ts\n\/\/ (trips\/src\/[\w-]+\.ts)\n([\s\S]*?)```/g);
    for (const [, name = "", code = ""] of blocks) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
    }
    const relative = folder.slice(pathOf("").length);
    const { bookTrip } = await load(join(relative, "trips/src/book-trip.ts"));
    return (bookTrip as { readonly definition: unknown }).definition;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
