import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { holdfastFolder } from "@holdfast/local-stack";
import { codeBlocksOf } from "./code-blocks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The files of an example, where a compiler and Node find what they import. */
export interface Example extends AsyncDisposable {
  readonly folder: string;
  /** The paths of its files below the repository's root, by their names in the pages. */
  readonly files: ReadonlyMap<string, string>;
}

export interface ExampleOptions {
  /** The pages that have the files. */
  readonly pages: readonly string[];
  /** Its folder: the first part of the name of each file. */
  readonly name: string;
  /** Stands for the hotel of the pages. */
  readonly hotelUrl: string;
  /** Files that the pages do not show. */
  readonly more?: Readonly<Record<string, string>>;
}

/** The address of the hotel in the pages; here it stands on this machine. */
const hotel = "http://hotels.example";

/** Writes the files of an example into a folder of its own, removed on disposal. */
export async function extractExample(options: ExampleOptions): Promise<Example> {
  const { pages, name, hotelUrl, more = {} } = options;
  const folder = join(holdfastFolder(), `readme-${name}-${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  const files = new Map<string, string>();
  const write = async (path: string, code: string): Promise<void> => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code.replaceAll(hotel, hotelUrl));
    files.set(path, relative(root, file));
  };
  for (const { text } of pages.flatMap(codeBlocksOf)) {
    const path = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
    if (path?.startsWith(`${name}/`)) await write(path, text);
  }
  for (const [path, code] of Object.entries(more)) await write(path, code);
  await symlink(join(root, "tests/readme/node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = { noEmit: true, composite: false, allowImportingTsExtensions: true };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: [name] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  return {
    folder,
    files,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
