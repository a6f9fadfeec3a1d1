import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outsideEnvironment } from "./install-packages.ts";
import { root } from "./public-packages.ts";
import { runProgram } from "./run-program.ts";

/** What a browser has no use for. */
const unwanted = ["pg", "amqplib", "@holdfast/state-store", "@holdfast/messaging"];

const page = `
import { holdfastClient } from "@holdfast/client";

export const client = holdfastClient({ url: "http://127.0.0.1:3000" });
export const states = async (id: string) => (await client.tasks.get(id)).state;
// @ts-expect-error: an act has a reason.
export const undone = (id: string) => client.tasks.cancel(id, {});
`;

/**
 * Installs the client and nothing else, as a browser's project does. Resolves to unwanted packages
 * that came along.
 */
export async function useClientAlone(
  folder: string,
  registryUrl: string,
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "page", version: "1.0.0", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const env = outsideEnvironment(registryUrl);
  await runProgram("npm", ["install", "--loglevel=error", "@holdfast/client"], { folder, env });
  writeFileSync(join(folder, "page.ts"), page);
  const options = {
    target: "es2024",
    lib: ["es2024", "dom"],
    module: "preserve",
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  const config = { compilerOptions: options, files: ["page.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  await runProgram(join(root, "node_modules/.bin/tsc"), ["--project", folder], { folder });
  await runProgram("node", ["--input-type=module", "--eval", 'await import("@holdfast/client")'], {
    folder,
  });
  return unwanted.filter((name) => existsSync(join(folder, "node_modules", name)));
}
