import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const repository = fileURLToPath(new URL("../../../", import.meta.url));
const sources = "--conditions=@holdfast/source";
const quiet = "--disable-warning=ExperimentalWarning";

/**
 * `npm test` compiles packages as they are shipped, and says so: a compiled service starts with
 * half of the CPU, the command with a fifth. Everything else runs from its sources.
 */
const isCompiled = (): boolean => process.env["HOLDFAST_COMPILED"] === "yes";

/**
 * A module of a package, such as `index` of `examples/orders/handlers`, from the root of the
 * repository.
 */
export const moduleAt = (folder: string, entry: string): string =>
  isCompiled() ? `./${folder}/dist/${entry}.js` : `./${folder}/src/${entry}.ts`;

/**
 * What Node is given to run the main file of a package, of this repository or of another release's.
 */
export const programAt = (folder: string, root = repository): readonly string[] => [
  quiet,
  isCompiled() ? "--enable-source-maps" : sources,
  join(root, moduleAt(folder, "main")),
];

/** What Node is given to run a file that is not compiled. */
export const sourceAt = (file: string): readonly string[] => [
  quiet,
  sources,
  join(repository, file),
];

/**
 * What Node is given to run a process that services share. Its own file is small; what it loads may
 * be compiled.
 */
export const sharedProgram = (): readonly string[] => [
  quiet,
  isCompiled() ? "--enable-source-maps" : sources,
  join(repository, "tests/processes/src/shared/main.ts"),
];

/** The command `holdfast`, as a process of its own. */
export const holdfastCommand: readonly string[] = programAt("packages/cli");
