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
  user({ name: "submission", role: "submission" }),
  user({ name: "scheduler", role: "scheduler" }),
  user({ name: "supervisor", role: "supervisor" }),
];
const oneForAllAgents = [user({ name: "agent", role: "agent", agents } as const)];
const oneForEachAgent = agents.map((name) =>
  user({ name, role: "agent", agents: [name] } as const),
);

/** The files that RabbitMQ imports: the topology, and what each user may do. */
export const brokerDefinitions: Readonly<Record<string, object>> = {
  "infra/rabbitmq/definitions.json": definitionsFor([...services, ...oneForAllAgents]),
  "infra/rabbitmq/definitions-per-agent.json": withScaler(
    definitionsFor([...services, ...oneForEachAgent]),
  ),
};

function definitionsFor(users: readonly BrokerUser[]) {
  const { users: _, permissions, ...topology } = definitionsOf({ vhost, agents, users });
  return { ...topology, permissions };
}

/** KEDA reads how long queues are, and no messages. */
function withScaler(definitions: ReturnType<typeof definitionsFor>): object {
  const nothing = { configure: "^$", read: "^$", write: "^$" };
  const keda = { user: "keda", vhost, ...nothing };
  return { ...definitions, permissions: [...definitions.permissions, keda] };
}
