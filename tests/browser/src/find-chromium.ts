import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { hasDebianPackages, installPackage } from "@holdfast/local-stack";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const inApplications = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Finds Chromium on this machine: where CHROMIUM says, or else on the PATH. Null: nowhere. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const given = env["CHROMIUM"];
  if (given) {
    if (isProgram(given)) return given;
    throw new Error(`CHROMIUM is ${given}, and that is no program.`);
  }
  const folders = (env["PATH"] ?? "").split(delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...inApplications].find(isProgram) ?? null;
}

/**
 * Finds Chromium, which root gets from the distribution where there is none. Null: tests with a
 * browser are skipped.
 */
export async function getChromium(say: (line: string) => void): Promise<string | null> {
  const found = findChromium();
  if (found !== null) return found;
  if (process.getuid?.() === 0 && hasDebianPackages()) {
    say("installing the package chromium");
    await installPackage("chromium").catch((error: unknown) => say(`chromium: ${String(error)}`));
  }
  const installed = findChromium();
  if (installed === null) {
    say("There is no Chromium: tests with a browser are skipped. Install it, or set CHROMIUM.");
  }
  return installed;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
