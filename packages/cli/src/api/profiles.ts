import { chmodSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigurationError, UsageError } from "./usage-error.ts";
import { fileOf } from "./values.ts";
import type { Io } from "./verb.ts";

/** The address of a service, and what shows that one is an operator. */
export interface Profile {
  readonly url: string;
  readonly token?: string;
}

/** All profiles, and which one is used. */
export interface Profiles {
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const none: Profiles = { current: null, profiles: {} };

/** `HOLDFAST_CONFIG`, or `holdfast/profiles.json` where configuration belongs. */
export function profilesFile(env: Io["env"]): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return env["HOLDFAST_CONFIG"] || join(base, "holdfast", "profiles.json");
}

/** Throws a `ConfigurationError` for a file that others may read, or that is none of ours. */
export function readProfiles(env: Io["env"], platform = process.platform): Profiles {
  const file = profilesFile(env);
  let text: string;
  try {
    const { mode } = statSync(file);
    // Windows has no such modes: there the folder of a person is closed to others.
    if (platform !== "win32" && (mode & 0o077) !== 0) {
      throw new ConfigurationError(
        `${file} holds tokens, and others than you may read it: run chmod 600 ${file}, or, where its file system has no modes, name a file elsewhere with HOLDFAST_CONFIG`,
      );
    }
    text = fileOf(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return none;
    if (error instanceof ConfigurationError) throw error;
    if (error instanceof UsageError) throw new ConfigurationError(error.message);
    throw new ConfigurationError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const read = parse(text);
  if (read === null) {
    throw new ConfigurationError(
      `${file} is not what holdfast config writes: correct it, or delete it and run holdfast config set`,
    );
  }
  return read;
}

/** Replaces the file as a whole, readable by its owner only. */
export function writeProfiles(env: Io["env"], profiles: Profiles): void {
  const file = profilesFile(env);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    throw new ConfigurationError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

function parse(text: string): Profiles | null {
  try {
    const read: unknown = JSON.parse(text);
    return isProfiles(read) ? read : null;
  } catch {
    return null;
  }
}

function isProfiles(read: unknown): read is Profiles {
  if (typeof read !== "object" || read === null) return false;
  const { current, profiles } = read as { readonly [key: string]: unknown };
  if (current !== null && typeof current !== "string") return false;
  if (typeof profiles !== "object" || profiles === null) return false;
  return Object.values(profiles).every(isProfile);
}

function isProfile(read: unknown): read is Profile {
  if (typeof read !== "object" || read === null) return false;
  const { url, token } = read as { readonly [key: string]: unknown };
  return typeof url === "string" && (token === undefined || typeof token === "string");
}
