import { moduleAt } from "@holdfast/test-servers";
import { asRole } from "./as-role.ts";
import type { ShippedBroker } from "./ship-broker.ts";

/** The services of the reference application. */
export type ServiceName =
  | "partners"
  | "submission"
  | "operations"
  | "scheduler"
  | "supervisor"
  | "agent";

const roleOf = {
  submission: "holdfast_submission",
  operations: "holdfast_operations",
  scheduler: "holdfast_scheduler",
  supervisor: "holdfast_supervisor",
  agent: null,
  partners: null,
} as const satisfies Record<ServiceName, string | null>;

/** The role whose rights a service has in the state store. */
export type StoreRole = NonNullable<(typeof roleOf)[ServiceName]>;

export const storeRoles: readonly StoreRole[] = Object.values(roleOf).filter(
  (role) => role !== null,
);

/** The token of operators of a local system; it is no secret. */
export const operatorToken = "local-operator";

/** The Agents of the reference application, from the root of the repository. */
const agentModules = moduleAt("examples/orders/handlers", "index");

/** Addresses by which the services of one system find each other. */
export interface SystemPlaces {
  /** The owner's URL. */
  readonly stateStoreUrl: string;
  /**
   * The URL at which services reach it with the rights of a role: the owner's with that role,
   * unless given.
   */
  readonly storeUrlOf?: (role: StoreRole) => string;
  readonly broker: ShippedBroker;
  readonly partnersUrl: string;
  /** The folder in which the partners keep their ledger. */
  readonly dataFolder: string;
  readonly ports: Partial<Readonly<Record<ServiceName, number>>>;
  /** Whether submission is set up for a workflow that is stored already, not for the shop's. */
  readonly ownWorkflow: boolean;
  /** Optimisations that the services leave out; see `HOLDFAST_WITHOUT`. */
  readonly without: readonly string[];
}

type Environment = Readonly<Record<string, string>>;

/** Settings of submission for the reference application; another workflow has another module. */
export const theShop = {
  WORKFLOW_MODULES: moduleAt("examples/orders/workflow", "index"),
  DEFAULT_WORKFLOW: "fulfil-order",
};

/** The settings of a process of this service. */
export function environmentOf(name: ServiceName, places: SystemPlaces): Environment {
  const { stateStoreUrl, broker, partnersUrl, dataFolder, without } = places;
  const { storeUrlOf = (role: StoreRole) => asRole(stateStoreUrl, role) } = places;
  const http = { HTTP_HOST: "127.0.0.1", HTTP_PORT: String(places.ports[name] ?? 0) };
  if (name === "partners") return { ...http, DATA_FOLDER: dataFolder };
  const role = roleOf[name];
  const shared = {
    ...(role === null ? {} : { STATE_STORE_URL: storeUrlOf(role) }),
    BROKER_URL: broker.urlOf(name),
    ...(broker.takesOver && role !== null ? { BROKER_TAKE_OVER: "on" } : {}),
    ...(without.length === 0 ? {} : { HOLDFAST_WITHOUT: without.join(",") }),
  };
  const declaring = { ...shared, BROKER_TOPOLOGY: broker.topology };
  switch (name) {
    case "submission":
      return { ...declaring, ...http, ...(places.ownWorkflow ? {} : theShop), ROLE: "tasks" };
    case "operations":
      return { ...declaring, ...http, ROLE: "operations", OPERATOR_TOKEN: operatorToken };
    case "agent":
      return {
        ...declaring,
        AGENT_MODULES: agentModules,
        SCHEDULER_USERS: broker.userOf("scheduler"),
        ...(partnersUrl === "" ? {} : { PARTNERS_URL: partnersUrl }),
      };
    case "scheduler":
      return declaring;
    case "supervisor":
      return shared;
  }
}
