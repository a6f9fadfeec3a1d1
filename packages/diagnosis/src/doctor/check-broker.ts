import type { BrokerFacts, ManagementFacts } from "@holdfast/messaging";
import { type Finding, fine, unseen, wrong } from "./finding.ts";
import { testedVersions } from "./tested-versions.ts";

const tested = testedVersions.rabbitmq;
const nearlyFull = 0.8;

/** What RabbitMQ is, whose virtual host it is, and whether it takes connections. */
export const checkBroker = ({ version, owner, management }: BrokerFacts): readonly Finding[] => [
  ...checkVersion(version),
  ...checkOwner(owner),
  ...checkManagement(management),
];

/** What the HTTP API answered; null: it was not asked, or it did not answer. */
export const managed = (management: BrokerFacts["management"]): ManagementFacts | null =>
  management === null || "fault" in management ? null : management;

function checkVersion(version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const number = major * 1_000 + minor;
  const [from, to] = [tested.from, tested.to].map(([one, other]) => one * 1_000 + other);
  if (number < (from ?? 0)) {
    return [
      wrong(
        "broker.version",
        `RabbitMQ ${version} is older than what Holdfast runs on`,
        `upgrade it to ${tested.from.join(".")} or later`,
      ),
    ];
  }
  const untested =
    number > (to ?? 0) ? `, later than what Holdfast is tested on (${tested.to.join(".")})` : "";
  return [fine("broker.version", `RabbitMQ ${version}${untested}`)];
}

/**
 * Whether the virtual host belongs to another state store. Until a service connects, it belongs to
 * none.
 */
const checkOwner = (owner: BrokerFacts["owner"]): readonly Finding[] =>
  owner === null || owner.difference === null
    ? []
    : [
        wrong(
          "broker.owner",
          "the virtual host belongs to the Holdfast of another state store: the two would take each other's messages",
          `give this store a virtual host of its own (BROKER_URL), or, if the other store is gone, start its services once with BROKER_TAKE_OVER=on, or delete the queue ${owner.name}`,
        ),
      ];

function checkManagement(management: BrokerFacts["management"]): readonly Finding[] {
  if (management === null) {
    return [
      unseen(
        "broker.management",
        "policies, replicas, bindings and connections could not be looked at",
        "set BROKER_MANAGEMENT_URL to RabbitMQ's HTTP API",
      ),
    ];
  }
  if ("fault" in management) {
    return [
      unseen(
        "broker.management",
        `the HTTP API did not answer: ${management.fault}`,
        "look at BROKER_MANAGEMENT_URL; its user needs the tag monitoring",
      ),
    ];
  }
  return checkConnections(management);
}

function checkConnections({ connections, maxConnections }: ManagementFacts): readonly Finding[] {
  if (connections === null) {
    return [
      unseen(
        "broker.connections",
        "the broker lists no connections, as it collects no statistics",
        "give the user of BROKER_MANAGEMENT_URL the tag administrator, or turn statistics on",
      ),
    ];
  }
  if (maxConnections === null) return [fine("broker.connections", `${connections} connections`)];
  const used = `${connections} of ${maxConnections} connections are taken`;
  return connections >= maxConnections * nearlyFull
    ? [wrong("broker.connections", used, "raise max-connections of the virtual host")]
    : [fine("broker.connections", used)];
}
