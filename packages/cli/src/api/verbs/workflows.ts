import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type HoldfastClient, ProblemError } from "@holdfast/client";
import { summaryOf } from "../operation.ts";
import { changeVerb, listingVerb } from "../operation-verb.ts";
import { own } from "../own-options.ts";
import { UsageError } from "../usage-error.ts";
import { fileOf } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

interface Definition {
  readonly name: string;
  readonly [key: string]: unknown;
}

const applyVerb: Verb = {
  name: "workflows apply",
  operations: ["storeWorkflow", "getWorkflow"],
  operands: ["<file...>"],
  summary: "store workflows: JSON definitions, or modules that export what defineWorkflow returns",
  options: own("dry-run"),
  async run({ operands, client, flag }) {
    const definitions = (await Promise.all(operands.map(definitionsIn))).flat();
    const { workflows } = client();
    const items: object[] = [];
    // One after the other: what is refused stops those after it.
    for (const definition of definitions) {
      items.push(
        flag("dry-run")
          ? { name: definition.name, stored: await standingOf(definition, workflows), warnings: [] }
          : await applied(definition, workflows),
      );
    }
    return { value: items, columns: ["name", "stored", "warnings"] };
  },
};

async function applied(definition: Definition, workflows: HoldfastClient["workflows"]) {
  const { name, isNew, warnings } = await workflows.store(definition);
  return { name, stored: isNew ? "new" : "same", warnings };
}

/** Whether a definition would be new, is there already, or is refused because it changed under its name. */
async function standingOf({ name, ...rest }: Definition, workflows: HoldfastClient["workflows"]) {
  try {
    const { definition } = await workflows.get(name);
    return sorted({ name, ...rest }) === sorted(definition)
      ? "same"
      : "changed: give it a new version";
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return "new";
    throw error;
  }
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

async function definitionsIn(file: string): Promise<readonly Definition[]> {
  const found = file.endsWith(".json") ? [parse(file)] : Object.values(await load(file));
  const definitions = found.flatMap((one) => {
    const { definition = one } = (one ?? {}) as { readonly definition?: unknown };
    return isDefinition(definition) ? [definition] : [];
  });
  if (definitions.length > 0) return definitions;
  throw new UsageError(
    `${file} holds no workflow: it must be a definition as JSON, or a module that exports what defineWorkflow returns`,
  );
}

function parse(file: string): unknown {
  try {
    return JSON.parse(fileOf(file)) as unknown;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`);
  }
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${(error as Error).message}`);
  }
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === "object" &&
  value !== null &&
  "steps" in value &&
  "name" in value &&
  typeof value.name === "string";

const showVerb: Verb = {
  name: "workflows show",
  operations: ["getWorkflow"],
  operands: ["<name>"],
  summary: summaryOf("getWorkflow"),
  options: {},
  async run({ operands: [name = ""], client }) {
    const value = await client().workflows.get(name);
    return { value, text: JSON.stringify(value, null, 2) };
  },
};

const change = (act: "retire" | "reinstate" | "pause" | "resume"): Verb =>
  changeVerb({
    name: `workflows ${act}`,
    operation: `${act}Workflow`,
    looksAt: "countTasks",
    preview: (invocation, name) => preview(invocation, { act, name }),
  });

async function preview(
  { client }: Invocation,
  { act, name }: { readonly act: string; readonly name: string },
): Promise<Outcome> {
  const { count, complete } = await client().tasks.count({ workflow: name, state: "open" });
  const value = { dryRun: true, name, openTasks: count, complete };
  return { value, text: `Would ${act} ${name}, of which ${count} tasks are open.` };
}

export const workflowVerbs: readonly Verb[] = [
  applyVerb,
  listingVerb({
    name: "workflows list",
    operation: "listWorkflows",
    columns: ["name", "collections", "createdAt", "retired.reason"],
  }),
  showVerb,
  change("retire"),
  change("reinstate"),
  change("pause"),
  change("resume"),
];
