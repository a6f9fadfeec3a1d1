import { libraryHomes, mayImport } from "./dependencies.ts";
import type { Finding, Rule } from "./finding.ts";
import { isTestCode, type Module } from "./module.ts";
import { packageOf, resolveImport, type Workspace } from "./workspace.ts";

/**
 * Finds imports that point the wrong way, bypass a package's entry, or carry a library out of its
 * package.
 */
export function findForbiddenImports(workspace: Workspace): readonly Finding[] {
  return workspace.modules.flatMap((module) => {
    const home = packageOf(workspace, module.path)?.folder;
    if (home === undefined) return [];
    return module.imports.flatMap(({ specifier, line }) => {
      const breach = breachOf(workspace, { module, home, specifier });
      if (breach === null) return [];
      const subject = `${module.path} ${specifier}`;
      return [{ ...breach, subject, message: `${module.path}:${line} ${breach.message}` }];
    });
  });
}

interface Question {
  readonly module: Module;
  readonly home: string;
  readonly specifier: string;
}

interface Breach {
  readonly rule: Rule;
  readonly message: string;
}

function breachOf(workspace: Workspace, { module, home, specifier }: Question): Breach | null {
  const target = resolveImport(workspace, module.path, specifier);
  const folder = target === null ? null : packageOf(workspace, target)?.folder;
  if (target === null) return isTestCode(module.path) ? null : libraryBreach(home, specifier);
  if (folder === home) return null;
  if (specifier.startsWith("."))
    return { rule: "entry", message: `imports ${specifier}: import a package by its name` };
  if (folder == null) return null;
  return directionBreach({ home, folder, isTest: isTestCode(module.path) });
}

function directionBreach({
  home,
  folder,
  isTest,
}: {
  readonly home: string;
  readonly folder: string;
  readonly isTest: boolean;
}): Breach | null {
  const allowed = mayImport[home];
  if (isTest ? !upwards(home, folder) : allowed === undefined || allowed.includes(folder))
    return null;
  return { rule: "direction", message: `imports ${folder}, which ${home} must not depend on` };
}

/**
 * Tests of a package or service may use any package and the servers for tests, but nothing above
 * them.
 */
function upwards(home: string, folder: string): boolean {
  if (!/^(packages|services)\//.test(home)) return false;
  return !folder.startsWith("packages/") && folder !== "tests/servers";
}

function libraryBreach(home: string, specifier: string): Breach | null {
  if (home === "packages/domain")
    return { rule: "third party", message: `imports ${specifier}: the domain depends on nothing` };
  const parts = specifier.split("/");
  const library = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const homes = libraryHomes[library];
  if (homes === undefined || homes.includes(home)) return null;
  return { rule: "third party", message: `imports ${library}: only ${homes.join(", ")} may` };
}
