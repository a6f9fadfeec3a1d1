import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { count } from "@holdfast/diagnosis";
import { parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { type MadeLogins, makeLogins, variablesNeeded } from "@holdfast/state-store";
import { Type } from "typebox";
import { UsageError } from "../api/usage-error.ts";
import type { Invocation, Outcome } from "../api/verb.ts";
import { environmentFor } from "../direct/settings.ts";
import { passwordsFrom } from "../topology/wanted-topology.ts";

const Settings = Type.Object({ STATE_STORE_URL: StateStoreUrl });

const ending = "_PASSWORD";

/**
 * Makes the owner of the database and a login for each service, or sets their current passwords.
 */
export async function logins(
  invocation: Pick<Invocation, "text" | "flag" | "io">,
): Promise<Outcome> {
  const { text, flag, io } = invocation;
  const script = loginScript();
  if (flag("print")) return { value: { script }, text: script.trimEnd() };
  const passwordOf = passwordsFrom(text("passwords") ?? "env", io.env);
  const given = allGiven(variablesNeeded(script), (name) => passwordOf(userOf(name)));
  const { STATE_STORE_URL: url } = parseConfig(Settings, environmentFor(invocation));
  const dryRun = flag("dry-run");
  const made = await makeLogins(url, {
    script,
    dryRun,
    passwordOf: (name) => given.get(name) ?? (io.env[name] || null),
  });
  return { value: { ...made, applied: !dryRun }, text: describe(made, dryRun) };
}

/** Reads each of them. Throws one `UsageError` for all that are missing. */
function allGiven(
  names: readonly string[],
  read: (name: string) => string | null,
): ReadonlyMap<string, string | null> {
  const [given, faults] = [new Map<string, string | null>(), [] as string[]];
  for (const name of names) {
    try {
      given.set(name, read(name));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new UsageError(faults.join("\n"));
  return given;
}

const userOf = (variable: string): string => variable.slice(0, -ending.length).toLowerCase();

const describe = ({ database, created, passwords }: MadeLogins, dryRun: boolean): string =>
  [
    ...created.map((role) => `+ role ${role}`),
    `${count(created.length, "role")} made, ${count(passwords.length, "password")} set for the database ${database}.`,
    ...(dryRun ? ["Nothing was changed: --dry-run."] : []),
  ].join("\n");

/** The script beside the code of an installed package, and where it is in the repository. */
const places = ["../../setup/logins.sql", "../../../../infra/postgres/logins.sql"];

/** The script that came with this release. */
function loginScript(): string {
  const found = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((file) => existsSync(file));
  if (found === undefined) {
    throw new Error("The file logins.sql is not here: it comes with the package holdfast.");
  }
  return readFileSync(found, "utf8");
}
