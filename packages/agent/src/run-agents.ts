import { cancelExchange } from "@holdfast/contracts";
import { type Broker, connectBroker, userOf } from "@holdfast/messaging";
import {
  BaseConfig,
  BrokerUrl,
  Integer,
  MaxMessageBytes,
  repeat,
  runService,
} from "@holdfast/runtime";
import type { Agent, Operations } from "@holdfast/workflow";
import { type Static, type TObject, Type } from "typebox";
import { cancelAttempts } from "./cancel-attempts.ts";
import type { Handlers } from "./handlers.ts";
import { sendHeartbeats } from "./send-heartbeats.ts";
import { type HostedAgent, host } from "./serve-agent.ts";

/** What every process that runs Agents can be told, and by which environment variables. */
export const AgentConfig = Type.Object({
  ...BaseConfig.properties,
  BROKER_URL: BrokerUrl,
  /** `passive`: the operators own the topology; queues and exchanges are expected to be there. */
  BROKER_TOPOLOGY: Type.Union([Type.Literal("declare"), Type.Literal("passive")], {
    default: "declare",
  }),
  MAX_MESSAGE_BYTES: MaxMessageBytes,
  /**
   * Whose requests are taken, by the broker user that each message names and the broker vouches for. Unless
   * set, `scheduler` and the Agent's own user, for brokers where all services share one.
   */
  SCHEDULER_USERS: Type.Optional(
    Type.String({
      pattern: "^[^,]+(,[^,]+)*$",
      description: "names of the Schedulers' broker users, separated by commas",
    }),
  ),
  /** `trusted`: requests are taken from every user, also from Schedulers that name none. */
  REQUEST_IDENTITY: Type.Union([Type.Literal("required"), Type.Literal("trusted")], {
    default: "required",
  }),
  /** How many steps one Agent of this process does at a time. */
  CONCURRENCY: Integer({ default: 100, minimum: 1, maximum: 10_000 }),
});

/** Runs one Agent until the process is told to stop. Start as many processes as you need. */
export const runAgent = <O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
): Promise<void> => {
  const hosted = host(agent, handlers);
  return runAgents(`${hosted.name}-agent`, AgentConfig, () => [hosted]);
};

/** Runs several Agents in one process: which ones, and with what, the configuration says. */
export async function runAgents<Schema extends TObject<typeof AgentConfig.properties>>(
  name: string,
  schema: Schema,
  choose: (config: Static<Schema>) => readonly HostedAgent[],
): Promise<void> {
  await runService(
    name,
    schema,
    async ({ config, log, instanceId, signal, stopped, health, failpoint }) => {
      const agents = choose(config);
      const base = config as Static<typeof AgentConfig>;
      const { BROKER_URL, BROKER_TOPOLOGY, CONCURRENCY, MAX_MESSAGE_BYTES } = base;
      // Registered first: whoever asks while the broker is being looked for must hear a no.
      let connected: Broker | null = null;
      health.check("broker", () => connected?.isReady ?? false);
      await using broker = await connectBroker({
        url: BROKER_URL,
        name: instanceId,
        topology: BROKER_TOPOLOGY,
        agents: agents.map((agent) => agent.name),
        maxMessageBytes: MAX_MESSAGE_BYTES,
        log,
      });
      const userId = userOf(BROKER_URL);
      const requesters = requestersOf(base);
      const serving = { broker, concurrency: CONCURRENCY, userId, requesters, log, failpoint };
      const served = await Promise.all(agents.map((agent) => agent.serve(serving)));
      await using _consumers = together(served);
      await using _hints = await broker.listen(cancelExchange, cancelAttempts(served, log));
      await using _heartbeats = repeat(
        sendHeartbeats({ broker, served, capacity: CONCURRENCY, instance: instanceId, userId }),
        { name: "heartbeats", signal, log },
      );
      connected = broker;
      log.info({ agents: agents.map((agent) => agent.name) }, "ready");
      await stopped;
    },
  );
}

/** Null: everybody. */
function requestersOf({
  BROKER_URL,
  SCHEDULER_USERS,
  REQUEST_IDENTITY,
}: Static<typeof AgentConfig>): ReadonlySet<string> | null {
  if (REQUEST_IDENTITY === "trusted") return null;
  return new Set(SCHEDULER_USERS?.split(",") ?? ["scheduler", userOf(BROKER_URL)]);
}

/** Released all at once: while one Agent finishes what is in hand, no other takes anything new. */
const together = (all: readonly AsyncDisposable[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  },
});
