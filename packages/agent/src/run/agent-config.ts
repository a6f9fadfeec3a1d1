import {
  BaseConfig,
  BrokerUrl,
  Integer,
  LoginTimeout,
  MaxMessageBytes,
  Names,
} from "@holdfast/runtime";
import { type Static, Type } from "typebox";
import type { AgentBroker } from "./start-agents.ts";

/** The environment variables that every process with Agents reads. */
export const AgentConfig = Type.Object({
  ...BaseConfig.properties,
  BROKER_URL: BrokerUrl,
  LOGIN_TIMEOUT: LoginTimeout,
  /** `passive`: the operators own the topology; queues and exchanges are expected to be there. */
  BROKER_TOPOLOGY: Type.Union([Type.Literal("declare"), Type.Literal("passive")], {
    default: "declare",
  }),
  MAX_MESSAGE_BYTES: MaxMessageBytes,
  /**
   * The broker users whose requests are performed: each message names its own, and the broker
   * vouches for it. Unless set, `scheduler` and the Agent's own user, for brokers where all
   * services share one.
   */
  SCHEDULER_USERS: Type.Optional(
    Names({
      description: "names of the Schedulers' broker users, separated by commas",
    }),
  ),
  /** `trusted`: requests are performed for every user, also from Schedulers that name none. */
  REQUEST_IDENTITY: Type.Union([Type.Literal("required"), Type.Literal("trusted")], {
    default: "required",
  }),
  /**
   * How many steps one Agent of this process performs at the same time, unless the Agent says so
   * itself.
   */
  CONCURRENCY: Integer({ default: 100, minimum: 1, maximum: 10_000 }),
  /** `off`: each message carries one request or one reply. */
  BUNDLING: Type.Union([Type.Literal("on"), Type.Literal("off")], {
    default: "on",
    formerly: "BATCHING",
  }),
});
export type AgentConfig = Static<typeof AgentConfig>;

/** The broker of a configuration, as `startAgents` takes it. */
export function agentBrokerOf(config: AgentConfig, url: AgentBroker["url"]): AgentBroker {
  const { SCHEDULER_USERS, REQUEST_IDENTITY } = config;
  const users = SCHEDULER_USERS === undefined ? {} : { schedulerUsers: SCHEDULER_USERS.split(",") };
  return {
    url,
    topology: config.BROKER_TOPOLOGY,
    maxMessageBytes: config.MAX_MESSAGE_BYTES,
    ...(REQUEST_IDENTITY === "trusted" ? { schedulerUsers: null } : users),
  };
}
