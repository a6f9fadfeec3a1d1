import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type HoldfastClient, ProblemError } from "@holdfast/client";
import { UsageError } from "../usage-error.ts";
import { fileOf, required } from "../values.ts";
import type { Verb } from "../verb.ts";

interface Definition {
  readonly name: string;
  readonly [key: string]: unknown;
}

const reason = { type: "string", short: "r", value: "WORDS", help: "why: kept with it" } as const;
const dryRun = { type: "boolean", help: "only say what would be changed" } as const;

const applyVerb: Verb = {
  name: "workflows apply",
  operands: ["<file...>"],
  summary: "store workflows: JSON definitions, or modules that export what defineWorkflow returns",
  options: { "dry-run": dryRun },
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

const listVerb: Verb = {
  name: "workflows list",
  operands: [],
  summary: "list the stored workflows",
  options: {},
  async run({ client }) {
    const value = await client().workflows.list();
    return { value, columns: ["name", "collections", "createdAt", "retired.reason"] };
  },
};

const showVerb: Verb = {
  name: "workflows show",
  operands: ["<name>"],
  summary: "show a workflow and its definition; without a version the newest one",
  options: {},
  async run({ operands: [name = ""], client }) {
    const value = await client().workflows.get(name);
    return { value, text: JSON.stringify(value, null, 2) };
  },
};

type Change = "retire" | "reinstate" | "pause" | "resume";

const changeVerb = (change: Change, summary: string): Verb => ({
  name: `workflows ${change}`,
  operands: ["<name>"],
  summary,
  options: { reason, "dry-run": dryRun },
  async run(invocation) {
    const [name = ""] = invocation.operands;
    const how = { reason: required(invocation, "reason"), actor: invocation.actor };
    const { workflows, tasks } = invocation.client();
    if (invocation.flag("dry-run")) {
      const { count, complete } = await tasks.count({ workflow: name, state: "open" });
      const value = { dryRun: true, name, openTasks: count, complete };
      return { value, text: `Would ${change} ${name}, of which ${count} tasks are open.` };
    }
    await workflows[change](name, how);
    return { value: { name, done: change }, text: `${name}: ${change} done.` };
  },
});

export const workflowVerbs: readonly Verb[] = [
  applyVerb,
  listVerb,
  showVerb,
  changeVerb("retire", "have a workflow take no new tasks"),
  changeVerb("reinstate", "have a retired workflow take tasks again"),
  changeVerb("pause", "claim no further step of a workflow's tasks"),
  changeVerb("resume", "end the pause of a workflow"),
];
