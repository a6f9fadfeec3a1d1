import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { definitionsIn, validateDefinition } from "@holdfast/contracts";
import {
  ChangedJson,
  errorText,
  type Json,
  parseJsonText,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { checkPlans } from "@holdfast/workflow/check";
import { UsageError } from "../api/usage-error.ts";

/** Workflows by where a case may find them. */
export interface Workflows {
  /**
   * Finds a workflow by name, the newest by a name without a version, and one in a file if `wanted` is a path beside
   * the case.
   */
  find(wanted: string, folder: string): Promise<WorkflowDefinition>;
}

const extensions = /\.(m?[jt]s|json)$/;

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
  if (file.endsWith(".json")) {
    const text = await readFile(file, "utf8").catch(() => {
      throw new UsageError(`${file} cannot be read`);
    });
    return [validateDefinition(parse(text, file))];
  }
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href).catch(
    (error: unknown) => {
      throw new UsageError(`${file} cannot be loaded: ${errorText(error)}`);
    },
  );
  checkPlans(module);
  return definitionsIn(module).map(validateDefinition);
}

/** Reads JSON. Throws with the file and where it breaks off. */
export function parse(text: string, file: string): Json {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof ChangedJson) throw new UsageError(`${file}: ${error.message}`);
    const position = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? text.length);
    const line = text.slice(0, position).split("\n").length;
    throw new UsageError(`${file}, line ${line}: this is not JSON`);
  }
}
