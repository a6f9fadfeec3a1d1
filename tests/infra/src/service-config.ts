import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { TObject } from "typebox";
import { pathOf } from "./repository.ts";

/** The configuration of the service whose compiled entry is `main`, such as services/x/dist/main.js. */
export async function configOf(main: string): Promise<TObject> {
  const file = pathOf(main.replace("/dist/main.js", "/src/config.ts"));
  if (!existsSync(file)) throw new Error(`${main} has no configuration beside it`);
  const exported = (await import(pathToFileURL(file).href)) as Record<string, TObject>;
  const [config] = Object.values(exported);
  if (config === undefined) throw new Error(`${file} exports nothing`);
  return config;
}
