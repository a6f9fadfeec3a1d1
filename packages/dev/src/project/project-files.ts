import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The files of a project that `holdfast dev` looks at. */
export interface ProjectFiles {
  readonly workflows: readonly string[];
  readonly agents: readonly string[];
}

const isModule = /\.[mc]?[jt]s$/;
const isOther = /\.d\.[mc]?ts$|\.(test|spec)\./;

/** Lists the modules in `workflows` and `agents`, and the definitions as JSON in `workflows`. */
export function findProjectFiles(folder: string): ProjectFiles {
  return {
    workflows: modulesIn(join(folder, "workflows"), (name) => name.endsWith(".json")),
    agents: modulesIn(join(folder, "agents"), () => false),
  };
}

function modulesIn(folder: string, isAlso: (name: string) => boolean): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => (isModule.test(name) && !isOther.test(name)) || isAlso(name))
    .toSorted()
    .map((name) => join(folder, name));
}
