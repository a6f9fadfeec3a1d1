import { pathToFileURL } from "node:url";
import { pathOf } from "../repository.ts";

/**
 * Loads a module of this repository by its path. So the pages need no dependency on every package,
 * and find a new one by themselves.
 */
export const load = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  (await import(pathToFileURL(pathOf(file)).href)) as Readonly<Record<string, unknown>>;
