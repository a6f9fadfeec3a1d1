import { glob } from "node:fs/promises";
import { resolve } from "node:path";
import { definitionsIn, validateDefinition } from "@holdfast/contracts";
import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { loadModule } from "@holdfast/runtime/modules";
import { checkPlans } from "@holdfast/workflow/check";
import { UsageError } from "../api/usage-error.ts";
import { parseFile } from "../api/values.ts";

/** Workflows by where a case may find them. */
export interface Workflows {
  /**
   * Finds a workflow by name, the newest by a name without a version, and one in a file if `wanted` is a path beside
   * the case.
   */
  find(wanted: string, folder: string): Promise<WorkflowDefinition>;
}

const extensions = /\.([mc]?[jt]s|json)$/;

/** Loads workflows of modules and of stored definitions, each file once. */
export function workflowsIn(pattern: string, cwd: string): Workflows {
  const files = new Map<string, Promise<readonly WorkflowDefinition[]>>();
  const load = (file: string): Promise<readonly WorkflowDefinition[]> => {
    const loading = files.get(file) ?? loadFile(file);
    files.set(file, loading);
    return loading;
  };
  let named: Promise<readonly WorkflowDefinition[]> | null = null;
  const all = async (): Promise<readonly WorkflowDefinition[]> => {
    const found: string[] = [];
    for await (const file of glob(pattern, { cwd })) found.push(resolve(cwd, file));
    return (await Promise.all(found.toSorted().map(load))).flat();
  };
  return {
    async find(wanted, folder) {
      const [path = "", name] = wanted.split("#");
      if (!extensions.test(path)) {
        named ??= all();
        return choose(await named, wanted, `No file of ${pattern} has`);
      }
      const file = resolve(folder, path);
      const definitions = await load(file);
      if (name !== undefined) return choose(definitions, name, `${file} does not have`);
      const [only, ...more] = definitions;
      if (only !== undefined && more.length === 0) return only;
      throw new UsageError(
        only === undefined
          ? `${file} exports no workflow`
          : `${file} exports ${namesOf(definitions)}: say which, such as ${path}#${only.name}`,
      );
    },
  };
}

/** The version with the highest number, unless a version is named. */
function choose(
  definitions: readonly WorkflowDefinition[],
  wanted: string,
  none: string,
): WorkflowDefinition {
  const versionOf = ({ name }: WorkflowDefinition) => Number(/\.v(\d+)$/.exec(name)?.[1] ?? 0);
  const found = definitions
    .filter(({ name }) => name === wanted || name.replace(/\.v\d+$/, "") === wanted)
    .toSorted((one, other) => versionOf(one) - versionOf(other))
    .at(-1);
  if (found !== undefined) return found;
  const known = definitions.length === 0 ? "none was found" : `there are ${namesOf(definitions)}`;
  throw new UsageError(`${none} the workflow ${wanted}: ${known}`);
}

const namesOf = (definitions: readonly WorkflowDefinition[]): string =>
  definitions.map(({ name }) => name).join(", ");

async function loadFile(file: string): Promise<readonly WorkflowDefinition[]> {
  const module = await loadProjectFile(file);
  checkPlans(module);
  if (!file.endsWith(".json")) return definitionsIn(module).map(validateDefinition);
  return [validateDefinition(module["default"])];
}

/** Loads a file of the project. Throws a `UsageError` that says where in it, or in what it imports, the fault is. */
export async function loadProjectFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await loadModule(resolve(file), process.cwd());
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads JSON. Throws with the file and where it breaks off. */
export const parse = (text: string, file: string): Json => parseFile(text, file) as Json;
