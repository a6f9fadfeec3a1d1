import {
  BaseConfig,
  BrokerTakeOver,
  BrokerUrl,
  Duration,
  Events,
  Integer,
  LoginTimeout,
  MaxMessageBytes,
  StateStoreUrl,
  StoreConnections,
} from "@holdfast/runtime";
import { Type } from "typebox";

/** The settings of the Scheduler, by the names of their environment variables. */
export const SchedulerConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: BrokerUrl,
  LOGIN_TIMEOUT: LoginTimeout,
  /** `passive`: the operators own the topology; queues and exchanges are expected to be there. */
  BROKER_TOPOLOGY: Type.Union([Type.Literal("declare"), Type.Literal("passive")], {
    default: "declare",
  }),
  BROKER_TAKE_OVER: BrokerTakeOver,
  MAX_MESSAGE_BYTES: MaxMessageBytes,
  /** How many connections to the state store one instance may hold. */
  STATE_STORE_CONNECTIONS: StoreConnections,
  /**
   * How many steps of one Agent each Scheduler may have in flight at most. All together have no
   * more than two for each slot of the Agent's instances.
   */
  MAX_IN_FLIGHT: Integer({ default: 200, minimum: 1, maximum: 10_000 }),
  /**
   * Percent of the slots of an Agent that each claim keeps for tasks of the priority `batch`, while
   * some are due. With 0 they wait until nothing more urgent is due.
   */
  BATCH_RESERVE: Integer({ default: 0, minimum: 0, maximum: 50 }),
  /** The longest time between two claims of the Scheduler, when no hint wakes it. */
  POLL_INTERVAL: Duration({ default: "1s", least: "10ms" }),
  EVENTS: Events,
  /** Whether a reply must carry the `user_id` that the broker vouches for. */
  REPLY_IDENTITY: Type.Union([Type.Literal("required"), Type.Literal("trusted")], {
    default: "required",
  }),
});
