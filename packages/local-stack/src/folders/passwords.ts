import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A random password, kept in a file that only its owner reads: the servers keep it in their data,
 * too.
 */
export function passwordFor(name: string, dataFolder: string): string {
  const file = join(dataFolder, `${name}.password`);
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}
