import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { holdfastFolder } from "@holdfast/local-stack";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The files of the README's example, where a compiler and Node find what they import. */
export interface Example extends AsyncDisposable {
  readonly folder: string;
  /** Their paths below the repository's root, by name. */
  readonly files: ReadonlyMap<string, string>;
}

/** Each block of code whose first line names its file. */
const block = /^```ts\n\/\/ (trips\/src\/[a-z-]+\.ts)\n([\s\S]*?)^```$/gm;

/** Where the example's hotel is; here it stands on this machine. */
const hotel = "http://hotels.example";

/** Writes the example out of the README into a folder of its own, removed on disposal. */
export async function extractExample({ hotelUrl }: { hotelUrl: string }): Promise<Example> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const folder = join(holdfastFolder(), `readme-${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  const files = new Map<string, string>();
  for (const [, path = "", code = ""] of readme.matchAll(block)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code.replaceAll(hotel, hotelUrl));
    files.set(path, relative(root, file));
  }
  await symlink(join(root, "tests/readme/node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = { noEmit: true, composite: false, allowImportingTsExtensions: true };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["trips"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  return {
    folder,
    files,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
