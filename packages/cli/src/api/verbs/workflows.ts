import { setTimeout } from "node:timers/promises";
import { type HoldfastClient, ProblemError } from "@holdfast/client";
import { findDefinitionFaults } from "@holdfast/contracts";
import { ContractFault, canonicalJson } from "@holdfast/domain";
import { exitCodes } from "../../exit-codes.ts";
import { loadWorkflowFile, type Refused, titleOf } from "../../test/load-workflows.ts";
import { actOptions, readAct } from "../act-options.ts";
import { summaryOf } from "../operation.ts";
import { changeVerb, listingVerb } from "../operation-verb.ts";
import { own } from "../own-options.ts";
import { requestOptions } from "../request-options.ts";
import { UsageError } from "../usage-error.ts";
import { filesMeant, waitOf } from "../values.ts";
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
    const files = await filesMeant(operands);
    if (files.length === 0) throw new UsageError(`No file fits ${operands.join(" ")}`);
    const found = await Promise.all(files.map(workflowsOf));
    const definitions = found.flatMap((one) => one.definitions);
    const refused = found.flatMap((one) => one.refused);
    if (definitions.length === 0) {
      if (refused.length === 0) throw new UsageError(`${files.join(" ")} holds schedules alone`);
      throw new ContractFault("workflow.invalid", refused.map(({ why }) => why).join("\n"));
    }
    const { workflows } = client();
    if (flag("dry-run")) return forecast({ definitions, refused }, workflows);
    const items: Applied[] = [];
    // One after the other: what is refused stops those after it.
    for (const definition of definitions) {
      items.push(await applied(definition, workflows, { storeOnly: flag("store-only") }));
    }
    const isOver =
      wait !== undefined && !(await areActive(items, workflows, waitOf(wait, "--wait")));
    const columns = ["name", "stored", "active", "waitsFor", "warnings"];
    if (refused.length > 0) {
      const value = [...items, ...refused.map(invalid)];
      return { value, columns: [...columns, "faults"], exitCode: exitCodes.refused };
    }
    return { value: items, columns, ...(isOver ? { exitCode: exitCodes.timedOut } : {}) };
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

/**
 * What would be stored. It fails where that would: for what is no definition, and for what changed
 * under its name.
 */
async function forecast(
  { definitions, refused }: FileWorkflows,
  workflows: HoldfastClient["workflows"],
): Promise<Outcome> {
  const value: readonly Forecast[] = [
    ...(await Promise.all(definitions.map((one) => standingOf(one, workflows)))),
    ...refused.map(invalid),
  ];
  const isRefused = value.some(({ stored }) => stored !== "new" && stored !== "same");
  const columns = ["name", "stored", "faults", "warnings"];
  return { value, columns, exitCode: isRefused ? exitCodes.refused : exitCodes.ok };
}

interface Forecast {
  readonly name: string;
  readonly stored: "new" | "same" | "invalid" | "changed: give it a new version";
  /** Why it is no definition. */
  readonly faults: readonly string[];
  /** What keeps it from taking tasks although it would be stored. */
  readonly warnings: readonly string[];
}

/** What is said of a definition that its own module refuses. */
const invalid = ({ why, ...which }: Refused): Forecast => ({
  name: titleOf(which),
  stored: "invalid",
  faults: [why],
  warnings: [],
});

/** Whether a definition would be new, is there already, or is refused. */
async function standingOf(
  definition: Definition,
  workflows: HoldfastClient["workflows"],
): Promise<Forecast> {
  const { name } = definition;
  const found = await findDefinitionFaults(definition);
  const faults = found.map(({ pointer, detail }) => `${pointer === "" ? "/" : pointer} ${detail}`);
  if (faults.length > 0) return { name, stored: "invalid", faults, warnings: [] };
  const stored = await workflows.get(name).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  });
  if (stored === null) return { name, stored: "new", faults, warnings: [] };
  const isSame = canonicalJson(definition) === canonicalJson(stored.definition);
  const warnings = stored.retired === null ? [] : [staysRetired(name)];
  return { name, stored: isSame ? "same" : "changed: give it a new version", faults, warnings };
}

/** Storing what is stored changes nothing of that. */
const staysRetired = (name: string): string =>
  `It is retired, and takes no new tasks: holdfast workflows reinstate ${name}.`;

interface FileWorkflows {
  readonly definitions: readonly Definition[];
  readonly refused: readonly Refused[];
}

async function workflowsOf(file: string): Promise<FileWorkflows> {
  const found = await loadWorkflowFile(file, (definition) => definition);
  const { schedules, refused } = found;
  const definitions = found.definitions.filter(hasName);
  if (definitions.length + schedules.length + refused.length > 0) return { definitions, refused };
  throw new UsageError(
    `${file} holds no workflow: it must be a definition as JSON, or a module that exports what defineWorkflow returns`,
  );
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
    const isForced = allowUnknownAgents !== undefined;
    if (invocation.flag("dry-run")) return previewActivation(workflows, { name, isForced });
    await workflows.activate(name, { ...attribution, allowUnknownAgents: isForced });
    return { value: { name, done: "activate" }, text: `${name}: activate done.` };
  },
};

async function previewActivation(
  workflows: HoldfastClient["workflows"],
  { name, isForced }: { readonly name: string; readonly isForced: boolean },
): Promise<Outcome> {
  const { active, retired, waitsFor } = await workflows.get(name);
  const value = { dryRun: true, name, active, retired, waitsFor };
  const whyNot =
    retired === null
      ? isForced || waitsFor.length === 0
        ? null
        : waitsFor.join(", ")
      : "it is retired";
  if (whyNot !== null) {
    const text = `Would be refused: ${name}: ${whyNot}.`;
    return { value, text, exitCode: exitCodes.refused };
  }
  const text = active === null ? `Would activate ${name}.` : `${name} is active already.`;
  return { value, text };
}

const change = (act: "retire" | "reinstate" | "pause" | "resume"): Verb =>
  changeVerb({
    name: `workflows ${act}`,
    operation: `${act}Workflow`,
    looksAt: ["getWorkflow", "countTasks"],
    preview: (invocation, name) => preview(invocation, { act, name }),
  });

async function preview(
  { client }: Invocation,
  { act, name }: { readonly act: string; readonly name: string },
): Promise<Outcome> {
  const { workflows, tasks } = client();
  const [{ retired }, { count, complete }] = await Promise.all([
    workflows.get(name),
    tasks.count({ workflow: name, state: "open" }),
  ]);
  const stands = retired === null ? "is not retired" : "is retired already";
  if ((act === "retire" && retired !== null) || (act === "reinstate" && retired === null)) {
    const value = { dryRun: true, name, retired };
    return { value, text: `Would be refused: ${name} ${stands}.`, exitCode: exitCodes.refused };
  }
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
