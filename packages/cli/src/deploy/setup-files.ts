import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The files for operators beside the code of an installed package, and where they are in the repository. */
const places = {
  "logins.sql": ["../../setup/logins.sql", "../../../../infra/postgres/logins.sql"],
} as const;

/** Reads a file that came with this release for those who deploy it. */
export function setupFile(name: keyof typeof places): string {
  const found = places[name]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((file) => existsSync(file));
  if (found === undefined) {
    throw new Error(`The file ${name} is not here: it comes with the package holdfast.`);
  }
  return readFileSync(found, "utf8");
}
