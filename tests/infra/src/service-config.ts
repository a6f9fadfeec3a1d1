import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { TObject } from "typebox";
import { pathOf } from "./repository.ts";

/**
 * The configuration of the service whose compiled entry is `main`, such as services/x/dist/main.js.
 */
export async function configOf(main: string): Promise<TObject> {
  const folder = pathOf(main.replace("/dist/main.js", "/src"));
  // The console has another half, which runs in browsers.
  const server = `${folder}/server/config.ts`;
  return exportedConfig(existsSync(server) ? server : `${folder}/config.ts`);
}

/** What the compiled module of Agents, such as ./x/dist/index.js, reads of the environment. */
export const moduleConfigOf = (module: string): Promise<TObject> =>
  exportedConfig(pathOf(module.replace("/dist/index.js", "/src/config.ts")));

async function exportedConfig(file: string): Promise<TObject> {
  if (!existsSync(file)) throw new Error(`There is no configuration at ${file}`);
  const exported = (await import(pathToFileURL(file).href)) as Record<string, TObject>;
  const [config] = Object.values(exported);
  if (config === undefined) throw new Error(`${file} exports nothing`);
  return config;
}
