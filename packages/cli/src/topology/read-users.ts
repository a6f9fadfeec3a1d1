import { agentNamePattern } from "@holdfast/contracts";
import type { BrokerRole } from "@holdfast/messaging";
import { parse } from "yaml";
import { UsageError } from "../api/usage-error.ts";
import { fileOf } from "../api/values.ts";

/** A user of the list, without a password. */
export type ListedUser = { readonly name: string } & (
  | { readonly role: Exclude<BrokerRole, "agent" | "application"> }
  | { readonly role: "agent"; readonly agents: readonly string[] }
  | {
      readonly role: "application";
      readonly statusWord: string;
      readonly maxConnections?: number;
    }
);

const roles: readonly BrokerRole[] = [
  "application",
  "submission",
  "operations",
  "scheduler",
  "supervisor",
  "agent",
  "conformance",
  "observer",
];

const userName = /^[\w.-]{1,100}$/;
const statusWord = /^[\w-]{1,100}$/;

/** Reads the list of users, in YAML or JSON. Throws `cli.usage` that says what is wrong with it. */
export async function readUsers(file: string): Promise<readonly ListedUser[]> {
  try {
    return usersIn(parse(fileOf(file)) as unknown);
  } catch (error) {
    throw unusable(file, (error as Error).message.split("\n")[0] ?? "");
  }
}

const unusable = (file: string, why: string) =>
  new UsageError(
    `${file} is no list of users: ${why}. Write one line for each, such as\nscheduler: scheduler\npayments: agent`,
  );

/** The users of a parsed list. */
export function usersIn(list: unknown): readonly ListedUser[] {
  const entries = Object.entries(fieldsOf(list, "it"));
  if (entries.length === 0) throw new Error("it is empty");
  const users = entries.map(([name, value]) => toUser(name, value));
  mustBeApart(users);
  return users;
}

/**
 * An application owns `status.<word>` and `status.<word>.…`: of two words none may begin the other
 * at a dot.
 */
function mustBeApart(users: readonly ListedUser[]): void {
  const applications = users.filter((user) => user.role === "application");
  for (const { name, statusWord: word } of applications) {
    const inside = applications.find((other) => other.statusWord.startsWith(`${word}.`));
    if (inside === undefined) continue;
    throw new Error(
      `the status queues of ${inside.name} are among those of ${name}, who could read and delete them: rename ${inside.name}, or give it a statusWord without a dot, such as ${inside.name.replaceAll(".", "-")}`,
    );
  }
}

function toUser(name: string, value: unknown): ListedUser {
  if (!userName.test(name)) throw new Error(`${name} is no name of a user`);
  const fields = typeof value === "string" ? { role: value } : fieldsOf(value, name);
  const { role: wanted, agents, statusWord: word, maxConnections: most, ...more } = fields;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new Error(`${name} has a field ${unknown}, which is unknown`);
  const role = roles.find((one) => one === wanted);
  if (role === undefined) {
    throw new Error(`the role of ${name} is ${String(wanted)}, and none of ${roles.join(", ")}`);
  }
  if (role === "agent") return { name, role, agents: agentsOf(name, agents ?? [name]) };
  if (role !== "application") return { name, role };
  if (word !== undefined && !(typeof word === "string" && statusWord.test(word))) {
    throw new Error(`the statusWord of ${name} must be letters, digits, "-" and "_"`);
  }
  if (
    most !== undefined &&
    !(Number.isInteger(most) && Number(most) > 0 && Number(most) <= 65_535)
  ) {
    throw new Error(`the maxConnections of ${name} must be a number from 1 to 65535`);
  }
  const limited = most === undefined ? {} : { maxConnections: Number(most) };
  return { name, role, statusWord: word ?? name, ...limited };
}

function agentsOf(user: string, agents: unknown): readonly string[] {
  const isList = Array.isArray(agents) && agents.length > 0;
  if (!isList) throw new Error(`the agents of ${user} must be a list of names`);
  const wrong = agents.find(
    (agent) => typeof agent !== "string" || !new RegExp(agentNamePattern).test(agent),
  );
  if (wrong === undefined) return agents as readonly string[];
  throw new Error(`${String(wrong)} is no name of an Agent: lower case, digits and "-"`);
}

function fieldsOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new Error(`${name} must be names with roles`);
}
