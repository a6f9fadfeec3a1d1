import { load } from "../load.ts";

/** A way that messages travel: an exchange that is written to, or a queue that is read. */
export interface Channel {
  readonly id: string;
  readonly kind: "exchange" | "queue";
  /** The routing key, or the name of the queue; `{agent}` and the like stand for a name. */
  readonly address: string;
  readonly description: string;
  readonly messages: readonly string[];
  readonly binding: object;
  readonly details: object;
}

interface Topology {
  readonly exchanges: readonly { readonly name: string; readonly type: string }[];
  readonly queues: readonly { readonly name: string; readonly arguments: object }[];
  readonly bindings: readonly {
    readonly exchange: string;
    readonly queue: string;
    readonly routingKey: string;
  }[];
}

interface Use {
  readonly messages: readonly string[];
  readonly description: string;
  /** The routing key of a message to an exchange. */
  readonly routingKey?: string;
}

/** Hints to a Scheduler. */
const wakes = ["scheduler.wake.v1", "scheduler.wake-waits.v1"];

const requests = ["step.request.v1"];
const replies = ["step.reply.v1", "reply.probe.v1"];
const fromAgents = ["agent.heartbeat.v1", "step.progress.v1"];
const events = [
  "holdfast.task",
  "holdfast.task.alert.v1",
  "holdfast.approval",
  "holdfast.schedule",
];

/**
 * What each exchange is for. One that the topology has and this list has not fails the generation.
 */
const exchangeUses: Readonly<Record<string, Use>> = {
  "holdfast.requests": {
    messages: requests,
    routingKey: "{agent}",
    description: "Schedulers ask an Agent to do one step.",
  },
  "holdfast.replies": {
    messages: replies,
    routingKey: "{word}.{agent}.{taskId}",
    description:
      "Agents answer. `word` is `reply`, or `reply-<n>` when the request has `scheduler.replies.<n>` as its `reply_to`. A Supervisor sends probes the same way, as `{word}.~.probe`.",
  },
  "holdfast.heartbeats": {
    messages: fromAgents,
    routingKey: "heartbeat.{agent}",
    description: "Each instance of an Agent says how it is, and which long attempts it works on.",
  },
  "holdfast.cancel": {
    messages: ["step.cancel.v1"],
    routingKey: "",
    description: "Hints to all instances of all Agents: an attempt need not be finished.",
  },
  "holdfast.submissions": {
    messages: ["task.submission"],
    routingKey: "task.submissions",
    description: "Applications submit tasks.",
  },
  "holdfast.signals": {
    messages: ["task.signal.v1"],
    routingKey: "task.signals",
    description: "Applications send signals to tasks.",
  },
  "holdfast.status": {
    messages: ["task.status.v1", "task.refused.v1", "signal.refused.v1"],
    routingKey: "status.{submitter}",
    description:
      "Schedulers tell the submitter of a task what became of it, and the sender of a signal why no task got it.",
  },
  "holdfast.events": {
    messages: events,
    routingKey: "{event}",
    description:
      "CloudEvents for every queue that is bound: `task.<event>.<workflow>`, `approval.<event>.<workflow>`, `schedule.<event>.<workflow>` and `alert.<kind>`.",
  },
  "holdfast.wake": {
    messages: wakes,
    routingKey: "",
    description: "Hints to a Scheduler that something is due.",
  },
  "holdfast.unrecorded": {
    messages: ["scheduler.unrecorded.v1"],
    routingKey: "",
    description: "A Scheduler holds replies that it cannot record.",
  },
};

const anything = [...requests, ...replies];

/** What each queue holds, by the beginning of its name. */
const queueUses: readonly (readonly [string, Use])[] = [
  [
    "agent.",
    { messages: requests, description: "The requests to one Agent, for all its instances." },
  ],
  ["scheduler.replies", { messages: replies, description: "Replies, for all Schedulers." }],
  [
    "scheduler.agent-heartbeats",
    { messages: fromAgents, description: "Heartbeats and progress, for one of the Schedulers." },
  ],
  [
    "scheduler.wake-ups",
    {
      messages: wakes,
      description: "One hint at most, for one of the Schedulers.",
    },
  ],
  [
    "scheduler.unrecorded",
    {
      messages: ["scheduler.unrecorded.v1"],
      description: "Has a message while some Scheduler cannot record replies.",
    },
  ],
  [
    "task.submissions",
    { messages: ["task.submission"], description: "Tasks submitted by message." },
  ],
  ["task.signals", { messages: ["task.signal.v1"], description: "Signals sent by message." }],
  [
    "requests.expired",
    {
      messages: requests,
      description: "Requests that no Agent took in time, or that an Agent rejected.",
    },
  ],
  ["dead.", { messages: anything, description: "Messages that no consumer could read." }],
];

/** Every exchange and queue of the topology, and the queue of a submitter. */
export async function findChannels(): Promise<readonly Channel[]> {
  const { topologyOf } = await load("packages/messaging/src/topology/topology.ts");
  const topology = (topologyOf as (agents: readonly string[]) => Topology)(["{agent}"]);
  const submitters = "status.{submitter}";
  const status = exchangeUses["holdfast.status"] as Use;
  return [
    ...topology.exchanges.map((exchange) => toExchange(exchange, useOf(exchange.name))),
    ...topology.queues.map((queue) => toQueue(queue, queueUse(queue.name), topology)),
    toQueue(
      { name: submitters, arguments: {} },
      { ...status, description: "The statuses of one submitter, who declares the queue." },
      topology,
    ),
  ];
}

function useOf(name: string): Use {
  const use = exchangeUses[name];
  if (use !== undefined) return use;
  throw new Error(`Say in asyncapi/channels.ts which messages the exchange ${name} carries.`);
}

function queueUse(name: string): Use {
  const [, use] = queueUses.find(([prefix]) => name.startsWith(prefix)) ?? [];
  if (use !== undefined) return use;
  throw new Error(`Say in asyncapi/channels.ts which messages the queue ${name} holds.`);
}

const durable = { durable: true, autoDelete: false, vhost: "holdfast" };

const toExchange = ({ name, type }: Topology["exchanges"][number], use: Use): Channel => ({
  id: name,
  kind: "exchange",
  address: use.routingKey ?? "",
  description: use.description,
  messages: use.messages,
  binding: { is: "routingKey", exchange: { name, type, ...durable }, bindingVersion: "0.3.0" },
  details: {},
});

function toQueue(
  { name, arguments: args }: Topology["queues"][number],
  use: Use,
  { bindings }: Topology,
): Channel {
  const bound = bindings.filter(({ queue }) => queue === name);
  return {
    id: name.replaceAll(/[{}]/g, ""),
    kind: "queue",
    address: name,
    description: use.description,
    messages: use.messages,
    binding: {
      is: "queue",
      queue: { name, ...durable, exclusive: false },
      bindingVersion: "0.3.0",
    },
    details: {
      "x-queue-arguments": args,
      "x-bindings": bound.map(({ exchange, routingKey }) => ({ exchange, routingKey })),
    },
  };
}
