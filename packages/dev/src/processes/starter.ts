import { createRequire, setSourceMapsSupport } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * The beginning of a prepared process: loads the packages that its main file needs, then waits for
 * its environment, and becomes that main file. What loading takes has passed by then.
 */
const [main = "", ...packages] = process.argv.slice(2);
// Stack traces name the lines that the author of the project wrote, also where its files are
// compiled. Reading the maps of installed packages would take a tenth of the time that a process
// needs to start.
setSourceMapsSupport(true, { nodeModules: false });
const { resolve } = createRequire(main);
const begin = new Promise<Record<string, string>>((go) => process.once("message", go as never));
for (const name of packages) await import(pathToFileURL(resolve(name)).href);
Object.assign(process.env, await begin);
process.channel?.unref();
process.argv.splice(1, process.argv.length - 1, main);
await import(pathToFileURL(main).href);
