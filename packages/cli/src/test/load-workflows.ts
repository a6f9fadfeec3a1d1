import { glob } from "node:fs/promises";
import { resolve } from "node:path";
import { validateDefinition } from "@holdfast/contracts";
import { Fault, familyOf, type Json, type WorkflowDefinition } from "@holdfast/domain";
import { loadModule, locateError } from "@holdfast/runtime/modules";
import {
  collectWorkflows,
  type DefinedSchedule,
  type RefusedDefinition,
} from "@holdfast/workflow/check";
import { UsageError } from "../api/usage-error.ts";
import { parseFile } from "../api/values.ts";

/** Workflows by where a case may find them. */
export interface Workflows {
  /**
   * Finds a workflow by name, the newest by a name without a version, and one in a file if `wanted`
   * is a path beside the case.
   */
  find(wanted: string, folder: string): Promise<WorkflowDefinition>;
}

const extensions = /\.([mc]?[jt]s|json)$/;

/** Loads workflows of modules and of stored definitions, each file once. */
export function workflowsIn(pattern: string, cwd: string): Workflows {
  const files = new Map<string, Promise<FileWorkflows>>();
  const load = (file: string): Promise<FileWorkflows> => {
    const loading = files.get(file) ?? loadFile(file);
    files.set(file, loading);
    return loading;
  };
  let named: Promise<FileWorkflows> | null = null;
  const all = async (): Promise<FileWorkflows> => {
    const found: string[] = [];
    for await (const file of glob(pattern, { cwd })) found.push(resolve(cwd, file));
    const loaded = await Promise.all(found.toSorted().map(load));
    return {
      definitions: loaded.flatMap(({ definitions }) => definitions),
      refused: loaded.flatMap(({ refused }) => refused),
    };
  };
  return {
    async find(wanted, folder) {
      const [path = "", name] = wanted.split("#");
      if (!extensions.test(path)) {
        named ??= all();
        return choose(await named, wanted, `No file of ${pattern} has`);
      }
      const file = resolve(folder, path);
      const found = await load(file);
      if (name !== undefined) return choose(found, name, `${file} does not have`);
      const { definitions } = found;
      const refused = found.refused.filter(isWorkflow);
      const [only, ...more] = definitions;
      if (only !== undefined && more.length + refused.length === 0) return only;
      const [wrong] = refused;
      if (wrong !== undefined && definitions.length === 0) throw new UsageError(wrong.why);
      throw new UsageError(
        only === undefined
          ? `${file} exports no workflow`
          : `${file} exports ${namesOf(definitions)}: say which, such as ${path}#${only.name}`,
      );
    },
  };
}

/**
 * The version with the highest number, unless a version is named. Throws why it is refused, if it
 * is.
 */
function choose(
  { definitions, refused }: FileWorkflows,
  wanted: string,
  none: string,
): WorkflowDefinition {
  const versionOf = ({ name }: Named) => Number(/\.v(\d+)$/.exec(name)?.[1] ?? 0);
  const found = [...definitions, ...refused.filter(isWorkflow)]
    .filter(({ name }) => name === wanted || familyOf(name) === wanted)
    .toSorted((one, other) => versionOf(one) - versionOf(other))
    .at(-1);
  if (found !== undefined && "why" in found) throw new UsageError(found.why);
  if (found !== undefined) return found;
  const known = definitions.length === 0 ? "none was found" : `there are ${namesOf(definitions)}`;
  throw new UsageError(`${none} the workflow ${wanted}: ${known}`);
}

const namesOf = (definitions: readonly WorkflowDefinition[]): string =>
  definitions.map(({ name }) => name).join(", ");

interface Named {
  readonly name: string;
}

/** A workflow or a schedule of a file that cannot be stored, or an Agent that cannot be defined. */
export interface Refused extends Omit<RefusedDefinition, "error"> {
  /** Begins with the place. */
  readonly why: string;
}

/** Whether it can be asked for. A workflow that calls an Agent that is refused says so itself. */
const isWorkflow = ({ kind }: Refused): boolean => kind === "workflow";

interface FileWorkflows {
  readonly definitions: readonly WorkflowDefinition[];
  readonly refused: readonly Refused[];
}

async function loadFile(file: string): Promise<FileWorkflows> {
  if (!file.endsWith(".json")) return await loadWorkflowFile(file, validateDefinition);
  const module = await loadProjectFile(file);
  return { definitions: [validateDefinition(module["default"])], refused: [] };
}

/**
 * Loads the workflows and schedules of a file of the project, those of JSON as they are. Throws as
 * `loadProjectFile` does.
 */
export async function loadWorkflowFile<Definition>(
  file: string,
  read: (definition: object) => Definition,
): Promise<{
  readonly definitions: readonly Definition[];
  readonly schedules: readonly DefinedSchedule[];
  readonly refused: readonly Refused[];
}> {
  const { definitions, schedules, refused } = await collectWorkflows(
    () => loadProjectFile(file),
    read,
  );
  const whys = refused.map(({ error, ...which }) => {
    const { place, message } = locateError(error, resolve(file), process.cwd());
    // A fault has a line for each mistake, and names the definition in each.
    const why = error instanceof Fault ? error.message : `${titleOf(which)}: ${message}`;
    return { ...which, why: `${place}: ${why}` };
  });
  return { definitions, schedules, refused: whys };
}

/** What a definition is called where it stands beside workflows. */
export const titleOf = ({ kind, name }: Omit<RefusedDefinition, "error">): string =>
  kind === "workflow" ? name : `${kind} ${name}`;

/**
 * Loads a file of the project. Throws a `UsageError` that says where in it, or in what it imports,
 * the fault is.
 */
async function loadProjectFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await loadModule(resolve(file), process.cwd());
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads JSON. Throws with the file and where it breaks off. */
export const parse = (text: string, file: string): Json => parseFile(text, file) as Json;
