import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type HoldfastClient, ProblemError } from "@holdfast/client";
import { definitionsIn } from "@holdfast/contracts";
import { ChangedJson, canonicalJson, parseJsonText } from "@holdfast/domain";
import { checkPlans } from "@holdfast/workflow/check";
import { exitCodes } from "../../exit-codes.ts";
import { actOptions, readAct } from "../act-options.ts";
import { summaryOf } from "../operation.ts";
import { changeVerb, listingVerb } from "../operation-verb.ts";
import { own } from "../own-options.ts";
import { requestOptions } from "../request-options.ts";
import { UsageError } from "../usage-error.ts";
import { fileOf, waitOf } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const activating = requestOptions("activateWorkflow", {
  allowUnknownAgents: { name: "allow-unknown-agents" },
});

interface Definition {
  readonly name: string;
  readonly [key: string]: unknown;
}

const applyVerb: Verb = {
  name: "workflows apply",
  operations: ["storeWorkflow", "getWorkflow"],
  operands: ["<file...>"],
  summary: "store workflows: JSON definitions, or modules that export what defineWorkflow returns",
  options: own("dry-run", "store-only", "wait"),
  examples: [
    "workflows apply workflows/*.ts --dry-run",
    "workflows apply workflows/*.ts --wait 5m",
  ],
  async run({ operands, client, flag, text }) {
    const wait = text("wait");
    const definitions = (await Promise.all(operands.map(definitionsOf))).flat();
    const { workflows } = client();
    if (flag("dry-run")) {
      const looked = definitions.map((one) => standingOf(one, workflows));
      const standings = await Promise.all(looked);
      const value = definitions.map(({ name }, at) => ({ name, stored: standings[at] }));
      return { value, columns: ["name", "stored"] };
    }
    const items: Applied[] = [];
    // One after the other: what is refused stops those after it.
    for (const definition of definitions) {
      items.push(await applied(definition, workflows, { storeOnly: flag("store-only") }));
    }
    const isOver =
      wait !== undefined && !(await areActive(items, workflows, waitOf(wait, "--wait")));
    return {
      value: items,
      columns: ["name", "stored", "active", "waitsFor", "warnings"],
      ...(isOver ? { exitCode: exitCodes.timedOut } : {}),
    };
  },
};

interface Applied {
  readonly name: string;
  readonly stored: "new" | "same";
  /** The version that names without one mean. */
  active: string | null;
  /** What is missing before this one is; empty: it waits for nothing. */
  waitsFor: readonly string[];
  readonly warnings: readonly string[];
}

async function applied(
  definition: Definition,
  workflows: HoldfastClient["workflows"],
  how: { readonly storeOnly: boolean },
): Promise<Applied> {
  const { name, isNew, active, waitsFor, warnings } = await workflows.store(definition, how);
  return { name, stored: isNew ? "new" : "same", active, waitsFor, warnings };
}

/** Milliseconds between two looks. */
const pollInterval = 500;

/** Waits until what awaits its Agents is active. False: the time is over before. */
async function areActive(
  items: readonly Applied[],
  workflows: HoldfastClient["workflows"],
  timeout: number,
): Promise<boolean> {
  const end = performance.now() + timeout;
  for (const item of items) {
    for (;;) {
      const { active, awaitsAgents, waitsFor } = await workflows.get(item.name);
      item.waitsFor = waitsFor;
      if (active !== null) item.active = item.name;
      if (!awaitsAgents) break;
      if (performance.now() > end) return false;
      await setTimeout(pollInterval);
    }
  }
  return true;
}

/** Whether a definition would be new, is there already, or is refused because it changed under its name. */
async function standingOf({ name, ...rest }: Definition, workflows: HoldfastClient["workflows"]) {
  try {
    const { definition } = await workflows.get(name);
    return canonicalJson({ name, ...rest }) === canonicalJson(definition)
      ? "same"
      : "changed: give it a new version";
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return "new";
    throw error;
  }
}

async function definitionsOf(file: string): Promise<readonly Definition[]> {
  const found = file.endsWith(".json") ? [parse(file)] : await load(file);
  checkPlans(found);
  const definitions = definitionsIn(found).filter(hasName);
  if (definitions.length > 0) return definitions;
  throw new UsageError(
    `${file} holds no workflow: it must be a definition as JSON, or a module that exports what defineWorkflow returns`,
  );
}

function parse(file: string): unknown {
  try {
    return parseJsonText(fileOf(file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof ChangedJson) throw new UsageError(`${file}: ${error.message}`);
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`);
  }
}

async function load(file: string): Promise<object> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as object;
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${(error as Error).message}`);
  }
}

const hasName = (definition: object): definition is Definition =>
  "name" in definition && typeof definition.name === "string";

const getVerb: Verb = {
  name: "workflows get",
  operations: ["getWorkflow"],
  operands: ["<name>"],
  summary: summaryOf("getWorkflow"),
  options: {},
  async run({ operands: [name = ""], client }) {
    const value = await client().workflows.get(name);
    return { value, text: JSON.stringify(value, null, 2) };
  },
};

const activateVerb: Verb = {
  name: "workflows activate",
  operations: ["activateWorkflow", "getWorkflow"],
  operands: ["<name>"],
  summary: summaryOf("activateWorkflow"),
  options: { ...actOptions, ...activating.options, ...own("dry-run") },
  async run(invocation) {
    const attribution = await readAct(invocation);
    const { allowUnknownAgents } = await activating.read(invocation);
    const [name = ""] = invocation.operands;
    const { workflows } = invocation.client();
    if (invocation.flag("dry-run")) return previewActivation(workflows, name);
    const isForced = allowUnknownAgents !== undefined;
    await workflows.activate(name, { ...attribution, allowUnknownAgents: isForced });
    return { value: { name, done: "activate" }, text: `${name}: activate done.` };
  },
};

async function previewActivation(
  workflows: HoldfastClient["workflows"],
  name: string,
): Promise<Outcome> {
  const { active } = await workflows.get(name);
  const value = { dryRun: true, name, active };
  const text = active === null ? `Would activate ${name}.` : `${name} is active already.`;
  return { value, text };
}

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
    columns: ["name", "collections", "createdAt", "active.by", "awaitsAgents", "retired.reason"],
  }),
  getVerb,
  activateVerb,
  change("retire"),
  change("reinstate"),
  change("pause"),
  change("resume"),
];
