import {
  agentQueue,
  deadReplyQueue,
  deadRequestQueue,
  signalQueue,
  submissionQueue,
} from "@holdfast/contracts";
import {
  type BrokerFacts,
  type ManagedQueue,
  type QueueFacts,
  topologyOf,
} from "@holdfast/messaging";
import { managed } from "./check-broker.ts";
import { type Finding, orFine, unseen, wrong } from "./finding.ts";

/** Whether everything is declared as this release would, and nothing changes it afterwards. */
export function checkQueues({
  queues,
  missingExchanges,
  management,
}: BrokerFacts): readonly Finding[] {
  const facts = managed(management);
  const ours = new Set(queues.map(({ name }) => name));
  return [
    ...orFine(
      [
        ...queues.flatMap(checkDeclaration),
        ...checkHidden(queues),
        ...missingExchanges.map((name) => missing(`the exchange ${name}`)),
        ...(facts === null ? [] : checkBindings(facts.bindings)),
      ],
      "broker.topology",
      `${queues.length} queues as they should be, dead letters and delivery limits included`,
    ),
    ...(facts?.queues ?? []).filter(({ name }) => ours.has(name)).flatMap(checkManaged),
    ...checkReaders(queues),
  ];
}

function checkDeclaration({ name, state, difference }: QueueFacts): readonly Finding[] {
  switch (state) {
    case "hidden":
    case "unseen":
      return [];
    case "missing":
      // Whether anybody would serve it is another question: see `checkCauses`.
      return name.startsWith(agentQueue("")) ? [] : [missing(`the queue ${name}`)];
    case "silent":
      return [
        wrong(
          "broker.leaders",
          `the queue ${name} takes no consumer: it seems to have no leader`,
          `bring the broker's other nodes back; if none is missing, and doctor says so again, delete it (rabbitmqctl delete_queue -p <vhost> ${name}), and the services declare it anew`,
        ),
      ];
    case "there":
      return difference === null
        ? []
        : [
            wrong(
              "broker.topology",
              `the queue ${name} is declared otherwise: ${difference}`,
              `stop its consumers, let it run empty, delete it, and start a service of this release, which declares it anew`,
            ),
          ];
  }
}

function checkHidden(queues: readonly QueueFacts[]): readonly Finding[] {
  const hidden = queues
    .filter(({ state }) => state === "hidden" || state === "unseen")
    .map(({ name }) => name);
  if (hidden.length === 0) return [];
  return [
    unseen(
      "broker.topology",
      `this user may not see how these queues are declared: ${hidden.join(", ")}`,
      "set BROKER_MANAGEMENT_URL to RabbitMQ's HTTP API, with a user who has the tag monitoring",
    ),
  ];
}

const missing = (what: string): Finding =>
  wrong(
    "broker.topology",
    `${what} is missing`,
    "import the definitions again (rabbitmqctl import_definitions, see infra/README.md), or start a Scheduler with BROKER_TOPOLOGY=declare",
  );

const checkBindings = (
  bindings: readonly { readonly exchange: string; readonly queue: string }[],
): readonly Finding[] =>
  topologyOf([])
    .bindings.filter(
      ({ exchange, queue }) =>
        !bindings.some((one) => one.exchange === exchange && one.queue === queue),
    )
    .map(({ exchange, queue }) => missing(`the binding of ${queue} to ${exchange}`));

/** What a policy may say and what that does to queues which must lose nothing. */
const harmful: Readonly<Record<string, string>> = {
  "max-length": "messages are dropped",
  "max-length-bytes": "messages are dropped",
  "message-ttl": "messages are dropped",
  expires: "the queue itself is deleted",
};

function checkManaged(queue: ManagedQueue): readonly Finding[] {
  const { name, policy, definition, members, online } = queue;
  const limit = Number(definition["delivery-limit"] ?? Number.POSITIVE_INFINITY);
  const declared = Number(queue.arguments["x-delivery-limit"] ?? Number.POSITIVE_INFINITY);
  const harms = Object.entries(harmful).filter(([key]) => key in definition);
  return [
    ...harms.map(([key, harm]) =>
      wrong(
        "broker.policies",
        `the policy ${policy} gives ${name} ${key} = ${String(definition[key])}: ${harm}`,
        "exempt Holdfast's queues from it",
      ),
    ),
    ...(limit < declared
      ? [
          wrong(
            "broker.policies",
            `the policy ${policy} lowers the delivery limit of ${name} from ${declared} to ${limit}: a few crashes count as a failure`,
            "exempt Holdfast's queues from it",
          ),
        ]
      : []),
    ...(members !== null && online !== null && online < members
      ? [
          wrong(
            "broker.replicas",
            `${name} has ${online} of ${members} replicas`,
            "bring the broker's other nodes back: without a majority the queue stands still",
          ),
        ]
      : []),
  ];
}

/** Who has to listen, wherever Agents run. */
const readers: Readonly<Record<string, string>> = {
  [submissionQueue]: "no submission service runs: orders that come as messages wait",
  [signalQueue]: "no submission service runs: signals that come as messages wait",
  [deadRequestQueue]: "no service stores dead letters",
  [deadReplyQueue]: "no service stores dead letters",
};

const takenBySubmission: ReadonlySet<string> = new Set([submissionQueue, signalQueue]);

function checkReaders(queues: readonly QueueFacts[]): readonly Finding[] {
  const deaf = queues.filter(
    ({ name, state, consumers }) =>
      name in readers && (state === "there" || state === "hidden") && consumers === 0,
  );
  return orFine(
    deaf.map(({ name, messages }) =>
      wrong(
        "services.absent",
        `no consumer reads ${name} (${messages} waiting): ${readers[name]}`,
        `start ${takenBySubmission.has(name) ? "a submission service" : "a Scheduler"}`,
      ),
    ),
    "services.present",
    "submission listens, and dead letters are stored",
  );
}
