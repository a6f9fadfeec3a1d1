import { type BrokerUser, definitionsOf } from "@holdfast/messaging";
import { inventory, notifications, payments, shipping } from "@holdfast/orders";
import { contract } from "@holdfast/workflow";

const vhost = "holdfast";
/** The Agents of the reference domain. */
export const agents = [inventory, payments, shipping, notifications].map(
  (agent) => agent[contract].name,
);

/** Passwords are secrets: users come from a file of their own, which each deployment fills in. */
const user = <User>(fields: User) => ({ ...fields, passwordHash: "" });
const services: readonly BrokerUser[] = [
  user({ name: "application", role: "application", statusWord: "application" } as const),
  user({ name: "submission", role: "submission" } as const),
  user({ name: "operations", role: "operations" } as const),
  user({ name: "scheduler", role: "scheduler" } as const),
  user({ name: "supervisor", role: "supervisor" } as const),
  user({ name: "observer", role: "observer" } as const),
];
const oneForAllAgents = [user({ name: "agent", role: "agent", agents } as const)];
const oneForEachAgent = agents.map((name) =>
  user({ name, role: "agent", agents: [name] } as const),
);

/** KEDA reads how long queues are, and no messages. */
const scaler = user({ name: "keda", role: "observer" } as const);
const onKubernetes = [...services, ...oneForEachAgent, scaler];

/** The files that RabbitMQ imports: the topology, and what each user may do. */
export const brokerDefinitions: Readonly<Record<string, object>> = {
  "infra/rabbitmq/definitions.json": definitionsFor([...services, ...oneForAllAgents]),
  "infra/rabbitmq/definitions-per-agent.json": definitionsFor(onKubernetes),
  "infra/rabbitmq/definitions-during-upgrade.json": definitionsFor(onKubernetes, {
    duringUpgrade: true,
  }),
};

function definitionsFor(
  users: readonly BrokerUser[],
  options: { readonly duringUpgrade?: boolean } = {},
) {
  const {
    users: _,
    permissions,
    ...topology
  } = definitionsOf({ vhost, agents, users, ...options });
  return { ...topology, permissions };
}
