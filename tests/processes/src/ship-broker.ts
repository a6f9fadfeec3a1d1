import { randomBytes } from "node:crypto";
import { callsOf } from "@holdfast/domain";
import { type BrokerRole, type BrokerUser, definitionsOf, hashPassword } from "@holdfast/messaging";
import { fulfilOrder } from "@holdfast/orders";
import { serverUrls } from "@holdfast/runtime";

/** A broker, by the URL of its administrator. */
export interface SystemBroker {
  readonly url: string;
  /**
   * Imports definitions; null where there is no way to: then all services share the administrator,
   * and declare what they need.
   */
  readonly importDefinitions: ((definitions: object) => Promise<void>) | null;
  /** Agents beside those of the shop that get a queue. */
  readonly moreAgents?: readonly string[];
  /** Whether the virtual host may have been another store's, which is gone. */
  readonly takesOver?: boolean;
  /** How another release makes what is imported; it is what this one ships, unless given. */
  readonly definitionsOf?: DefinitionsOf;
}

/** How a release makes the definitions that its broker imports. */
export type DefinitionsOf = (options: Parameters<typeof definitionsOf>[0]) => object;

/** A broker with the topology, users and rights that Holdfast ships. */
export interface ShippedBroker {
  urlOf(role: BrokerRole): string;
  userOf(role: BrokerRole): string;
  readonly topology: "declare" | "passive";
  readonly takesOver: boolean;
  /** Imports everything again, as operators do when something of it is gone. */
  restore(): Promise<void>;
  /**
   * Imports what another release ships, for the same users with the same passwords, as operators do
   * at an upgrade.
   */
  importAs(release: DefinitionsOf): Promise<void>;
}

const roles: readonly BrokerRole[] = [
  "application",
  "submission",
  "operations",
  "scheduler",
  "supervisor",
  "agent",
  "observer",
];
/** The virtual host that the files in infra/rabbitmq are for. */
const usualVhost = "holdfast";

/**
 * Imports what infra/rabbitmq ships, for the virtual host in the URL. Users belong to the whole
 * broker, so a virtual host with another name gets users of its own, named after it.
 */
export async function shipBroker({
  url,
  importDefinitions,
  moreAgents = [],
  takesOver = false,
  definitionsOf: shipped = definitionsOf,
}: SystemBroker): Promise<ShippedBroker> {
  const address = new URL(serverUrls(url)[0]);
  const vhost = decodeURIComponent(address.pathname.slice(1));
  if (importDefinitions === null) {
    const administrator = decodeURIComponent(address.username);
    return {
      urlOf: () => url,
      userOf: () => administrator,
      topology: "declare",
      takesOver,
      restore: async () => {},
      importAs: async () => {},
    };
  }
  const agents = [
    ...new Set([...callsOf(fulfilOrder.definition).map(({ agent }) => agent), ...moreAgents]),
  ];
  const userOf = (role: BrokerRole) => (vhost === usualVhost ? role : `${vhost}.${role}`);
  const password = randomBytes(18).toString("hex");
  const passwordHash = hashPassword(password);
  const users = roles.map((role): BrokerUser => {
    const user = { name: userOf(role), passwordHash };
    if (role === "agent") return { ...user, role, agents };
    return role === "application" ? { ...user, role, statusWord: role } : { ...user, role };
  });
  const importAs = (release: DefinitionsOf) => importDefinitions(release({ vhost, agents, users }));
  await importAs(shipped);
  return {
    urlOf: (role) =>
      url.replace(/\/\/[^@]*@/, `//${encodeURIComponent(userOf(role))}:${password}@`),
    userOf,
    topology: "passive",
    takesOver,
    restore: () => importAs(shipped),
    importAs,
  };
}
