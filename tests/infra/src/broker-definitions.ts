import { applicationLimits } from "@holdfast/messaging";
import { inventory, notifications, payments, shipping } from "@holdfast/orders";
import { holdfastOutput } from "@holdfast/test-servers";
import { contract } from "@holdfast/workflow";
import { parse } from "yaml";
import { pathOf, readFile } from "./repository.ts";

/** The Agents of the reference domain. */
export const agents = [inventory, payments, shipping, notifications].map(
  (agent) => agent[contract].name,
);

/** The one list of users, and the role of each. */
export const listedUsers = parse(readFile("infra/users.yaml")) as Readonly<Record<string, string>>;

/** What `holdfast topology print` makes of the list. */
async function printed(...options: readonly string[]): Promise<object> {
  const list = ["topology", "print", "--users", pathOf("infra/users.yaml")];
  return JSON.parse(await holdfastOutput(...list, ...options)) as object;
}

/** Every user of the local overlay has the same password, which services refuse anywhere else. */
const localUsers = {
  users: [
    ...Object.entries(listedUsers).map(([name, role]) => ({
      name,
      password: "development",
      tags: role === "observer" ? ["monitoring"] : [],
      ...(role === "application" ? { limits: applicationLimits() } : {}),
    })),
    { name: "operator", password: "development", tags: ["administrator"] },
  ],
};

/**
 * The files that RabbitMQ imports: the topology, and what each user may do. Passwords are secrets
 * of each deployment.
 */
export const brokerDefinitions: Readonly<Record<string, object>> = {
  "infra/rabbitmq/definitions.json": await printed("--one-agent-user", "agent"),
  "infra/rabbitmq/definitions-per-agent.json": await printed(),
  "infra/rabbitmq/definitions-during-upgrade.json": await printed("--during-upgrade"),
  "infra/kubernetes/overlays/local/10-users.json": localUsers,
};
