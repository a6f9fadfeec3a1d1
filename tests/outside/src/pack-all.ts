import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, type PublicPackage, publicPackages, root } from "./public-packages.ts";
import { runProgram } from "./run-program.ts";

/** A package as it is published. */
export interface Tarball extends PublicPackage {
  readonly file: string;
  /** Its manifest with the versions of its dependencies. */
  readonly packed: Manifest;
}

/** Compiles what is published and packs it into `folder`. */
export async function packAll(folder: string): Promise<readonly Tarball[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = publicPackages();
  packages.forEach(removeStale);
  const folders = packages.map((one) => one.folder);
  await runProgram(join(root, "node_modules/.bin/tsc"), ["--build", ...folders]);
  // `npm test` has done so, and other tests start the services that it compiled: their files must
  // not be away.
  if (process.env["HOLDFAST_COMPILED"] !== "yes") {
    await runProgram(process.execPath, [join(root, "tools/bundle.mjs"), ...folders]);
  }
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly packageManager: string;
  };
  const filters = packages.flatMap(({ manifest }) => ["--filter", manifest.name]);
  const pack = ["--yes", packageManager, ...filters, "--recursive", "pack"];
  await runProgram("npx", [...pack, "--pack-destination", folder]);
  return Promise.all(
    packages.map(async (one) => {
      const name = one.manifest.name.replace(/^@/, "").replace("/", "-");
      const file = join(folder, `${name}-${one.manifest.version}.tgz`);
      return { ...one, file, packed: JSON.parse(await readFromTarball(file, "package.json")) };
    }),
  );
}

/** The content of one file of a package. */
export async function readFromTarball(file: string, path: string): Promise<string> {
  const args = ["--extract", "--to-stdout", "--file", file, `package/${path}`];
  return (await runProgram("tar", args)).stdout;
}

/** The compiler leaves the types of sources that are gone. */
function removeStale({ folder }: PublicPackage): void {
  for (const types of globSync("dist/**/*.d.ts", { cwd: folder })) {
    const source = types.replace(/^dist/, "src").replace(/\.d\.ts$/, ".ts");
    if (existsSync(join(folder, source))) continue;
    for (const file of [types, `${types}.map`]) rmSync(join(folder, file), { force: true });
  }
}
