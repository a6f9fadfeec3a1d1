#!/usr/bin/env node
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { writeClients } from "./clients/src/write-clients.ts";
import { root } from "./root.mjs";

// Usage: node tools/bundle.mjs [FOLDER ...]. Compiles these packages, or all.

/**
 * Files that run as processes or threads of their own: nothing imports them. Without `src/` and
 * `.ts`.
 */
const started = {
  "packages/contracts": ["aside/thread"],
  "packages/dev": ["agents/agent-host", "processes/starter", "project/loader"],
};
/**
 * Become part of our files: hundreds of small modules of which we use a few, and what `using` is
 * compiled to.
 */
const inlined = /^(typebox|@oxc-project\/runtime)(\/|$)/;

/**
 * Compiles a package to one file for each entry: a service starts with half of the CPU if it opens
 * a third of the files. The types come from the compiler.
 * @param {string} folder below the root
 */
async function bundlePackage(folder) {
  const entries = entriesOf(folder);
  if (entries.length === 0) return;
  const [src, dist] = [join(root, folder, "src"), join(root, folder, "dist")];
  const stamp = join(root, ".holdfast/compiled", folder.replaceAll("/", "-"));
  const wanted = inputsOf(folder);
  const isThere = entries.every((entry) => existsSync(join(dist, `${entry}.js`)));
  if (isThere && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const { build } = await import("rolldown");
  // The types stay: the compiler does not write them again if the sources are the same.
  for (const file of globSync("**/*.{js,js.map}", { cwd: dist })) rmSync(join(dist, file));
  const { output } = await build({
    input: Object.fromEntries(entries.map((entry) => [entry, join(src, `${entry}.ts`)])),
    platform: "node",
    external: (id) => !/^[./]/.test(id) && !inlined.test(id),
    resolve: { conditionNames: ["import", "node"] },
    // The oldest Node that we run on does not know `using`.
    transform: { target: "es2024" },
    plugins: [ownPlaces(src)],
    logLevel: "warn",
    output: {
      dir: dist,
      format: "esm",
      sourcemap: true,
      sourcemapExcludeSources: true,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
    },
  });
  writeLicences(
    dist,
    output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
  );
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/**
 * A hash of all that the compiled files are made of: sources, versions of libraries, and how it is
 * done.
 * @param {string} folder
 */
function inputsOf(folder) {
  const own = globSync("{src/**/*.ts,package.json}", {
    cwd: join(root, folder),
    exclude: ["**/*.test.ts"],
  });
  const files = own.toSorted().map((file) => join(folder, file));
  const hash = createHash("sha256");
  for (const file of [...files, "pnpm-lock.yaml", "tools/bundle.mjs"]) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/**
 * Packages that became part of our files keep their licence beside them.
 * @param {string} dist
 * @param {readonly string[]} modules paths of all that was compiled
 */
function writeLicences(dist, modules) {
  const packages = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  const file = join(dist, "THIRD-PARTY-LICENCES.txt");
  rmSync(file, { force: true });
  if (packages.size === 0) return;
  const texts = [...packages].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const [licence = null] = globSync("{licen,LICEN}{c,s,C,S}{e,E}*", { cwd: folder });
    if (licence === null) throw new Error(`${name} has no licence file: do not inline it.`);
    return `${name} ${version}\n\n${readFileSync(join(folder, licence), "utf8").trim()}\n`;
  });
  writeFileSync(file, texts.join("\n\n"));
}

/**
 * What the manifest names, and what is started.
 * @param {string} folder
 */
function entriesOf(folder) {
  const { exports = {}, bin = {} } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  );
  const named = JSON.stringify([exports, bin]).matchAll(/"\.\/dist\/([^"]+)\.js"/g);
  const main = existsSync(join(root, folder, "src/main.ts")) ? ["main"] : [];
  const entries = Array.from(named, ([, entry]) => entry);
  return [...new Set([...entries, ...main, ...(started[folder] ?? [])])];
}

/**
 * A module finds the files beside it by its own URL. In a file that it shares with others, it is
 * given the URL that it would have alone.
 * @param {string} src
 */
function ownPlaces(src) {
  const mark = /__ownPlace_([0-9a-f]+)__/g;
  return {
    name: "own-places",
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (!id.startsWith(src + sep) || !code.includes("import.meta.url")) return null;
      const own = relative(src, id).split(sep).join("/").replace(/\.ts$/, ".js");
      const place = `__ownPlace_${Buffer.from(own).toString("hex")}__`;
      // No lines move: the map stays right.
      return { code: code.replaceAll("import.meta.url", place), map: null };
    },
    /** @param {string} code @param {{ fileName: string }} chunk */
    renderChunk(code, { fileName }) {
      if (!code.includes("__ownPlace_")) return null;
      const placed = code.replaceAll(mark, (_, hex) => {
        const own = Buffer.from(hex, "hex").toString();
        const place = posix.relative(posix.dirname(fileName), own);
        return `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      });
      return { code: placed, map: null };
    },
  };
}

await writeClients();
const named = process.argv.slice(2).map((folder) => relative(root, resolve(folder)));
const manifests = globSync("{packages,services,examples/orders}/*/package.json", { cwd: root });
const folders = named.length > 0 ? named : manifests.map((file) => dirname(file));
await Promise.all(folders.map((folder) => bundlePackage(folder.split(sep).join("/"))));
