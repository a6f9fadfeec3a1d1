import {
  type BrokerUser,
  type Definitions,
  definitionsOf,
  hashPassword,
  isHashOf,
  type PasswordCheck,
} from "@holdfast/messaging";
import { openInspector } from "@holdfast/state-store";
import { UsageError } from "../api/usage-error.ts";
import { fileOf } from "../api/values.ts";
import type { Io } from "../api/verb.ts";
import type { TopologyOptions } from "./read-options.ts";
import { type ListedUser, readUsers } from "./read-users.ts";

/** What a broker should have, and who is missing on the list. */
export interface WantedTopology {
  readonly definitions: Definitions;
  /** Sentences about Agents that stored workflows call and no user serves. */
  readonly unserved: readonly string[];
  /** Whether the broker's hash is that of the password that was given for a user. */
  readonly isPassword: PasswordCheck;
}

/** Makes the definitions from the list of users and the stored workflows. */
export async function wantedTopology(
  options: TopologyOptions,
  env: Io["env"],
): Promise<WantedTopology> {
  const { oneAgentUser, passwords, vhost, duringUpgrade } = options;
  const listed = await readUsers(options.users);
  const called = await calledAgents(options.stateStoreUrl);
  const served = listed.flatMap((user) => (user.role === "agent" ? user.agents : []));
  const agents = [...new Set([...served, ...options.agents, ...called.keys()])];
  const passwordOf = passwordsFrom(passwords, env);
  const users = inPlace(listed, { oneAgentUser, agents }).map((user): BrokerUser => {
    const password = passwordOf(user.name);
    return { ...user, passwordHash: password === null ? "" : hashPassword(password) };
  });
  const definitions = definitionsOf({ vhost, agents, users, duringUpgrade });
  const unserved = [...called].filter(
    ([agent]) => oneAgentUser === null && !served.includes(agent),
  );
  return {
    definitions: passwords === null ? { ...definitions, users: [] } : definitions,
    isPassword(user, hash) {
      const password = passwordOf(user);
      return password === null || isHashOf(hash, password);
    },
    unserved: unserved.map(
      ([agent, workflows]) =>
        `${workflows.join(", ")} calls the Agent ${agent}, and no user serves it: add the line ${agent}: agent`,
    ),
  };
}

interface Replacing {
  readonly oneAgentUser: string | null;
  readonly agents: readonly string[];
}

/** The list, with one user for all Agents where it is requested. */
function inPlace(
  listed: readonly ListedUser[],
  { oneAgentUser, agents }: Replacing,
): readonly ListedUser[] {
  if (oneAgentUser === null) return listed;
  const others = listed.filter(({ role }) => role !== "agent");
  return [...others, { name: oneAgentUser, role: "agent", agents }];
}

/** Agents that stored workflows call, with these workflows. None where no state store is named. */
async function calledAgents(url: string | null): Promise<ReadonlyMap<string, readonly string[]>> {
  if (url === null || url === "") return new Map();
  await using store = openInspector({ url, applicationName: "holdfast topology" });
  const needs = await store.findAgentDemands();
  return new Map(needs.map(({ agent, workflows }) => [agent, workflows]));
}

/**
 * The password of a user; null: passwords are not given here. Throws `cli.usage` for one that is
 * missing.
 */
type PasswordOf = (user: string) => string | null;

/** Finds passwords in the environment, in a file, or nowhere. */
export function passwordsFrom(source: string | null, env: Io["env"]): PasswordOf {
  if (source === null) return () => null;
  if (source === "env") return (user) => fromEnvironment(user, env);
  const found = passwordsIn(source);
  return (user) => mustBeGiven(user, found[user], `add it to ${source}`);
}

function fromEnvironment(user: string, env: Io["env"]): string {
  const name = `${user.toUpperCase().replaceAll(/\W/g, "_")}_PASSWORD`;
  const file = env[`${name}_FILE`] ?? "";
  const password = file === "" ? env[name] : contentOf(file).trimEnd();
  return mustBeGiven(user, password, `set ${name} or ${name}_FILE`);
}

function mustBeGiven(user: string, password: unknown, how: string): string {
  if (typeof password === "string" && password.length >= 8) return password;
  const what =
    password === undefined || password === ""
      ? "has no password"
      : "has a password of less than 8 characters";
  throw new UsageError(`The user ${user} ${what}: ${how}.`);
}

function passwordsIn(file: string): Readonly<Record<string, unknown>> {
  const text = contentOf(file);
  try {
    const found = JSON.parse(text) as unknown;
    if (typeof found === "object" && found !== null && !Array.isArray(found)) {
      return found as Readonly<Record<string, unknown>>;
    }
  } catch {
    // The parser's words quote the passwords.
  }
  throw new UsageError(`${file} holds no JSON object of users and passwords.`);
}

function contentOf(file: string): string {
  try {
    return fileOf(file);
  } catch (error) {
    throw new UsageError(`The passwords cannot be read: ${(error as Error).message}`);
  }
}
