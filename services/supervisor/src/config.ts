import {
  BaseConfig,
  BrokerTakeOver,
  BrokerUrl,
  Duration,
  DurationOrOff,
  Events,
  Integer,
  LoginTimeout,
  longestKept,
  StateStoreUrl,
} from "@holdfast/runtime";
import { type Static, Type } from "typebox";

/** The settings of the Supervisor, by the names of their environment variables. */
export const SupervisorConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  /**
   * How many connections to the state store one instance may hold. Of several, one is for recovery
   * alone.
   */
  STATE_STORE_CONNECTIONS: Integer({ default: 3, minimum: 1, maximum: 20 }),
  /** The broker, only to hint at the Schedulers. */
  BROKER_URL: BrokerUrl,
  BROKER_TAKE_OVER: BrokerTakeOver,
  LOGIN_TIMEOUT: LoginTimeout,
  EVENTS: Events,
  /** How long it sleeps at most. In between it wakes for the earliest complete-by time. */
  SCAN_INTERVAL: Duration({ default: "1s", least: "10ms" }),
  /** How often it looks for stalled tasks, which wait for no event. */
  SWEEP_INTERVAL: Duration({ default: "1m", least: "10ms" }),
  /** How long it waits, after it could not look for a while, for replies that waited as well. */
  RECOVERY_DELAY: Duration({ default: "5s" }),
  /** How long finished tasks are kept, at least; off: for ever. */
  RETENTION: DurationOrOff({ most: longestKept }),
  /**
   * How long refused replies and dead letters are kept, at most; those of tasks that are deleted,
   * no longer.
   */
  MESSAGE_RETENTION: Duration({ default: "30d", most: longestKept }),
});
export type SupervisorConfig = Static<typeof SupervisorConfig>;
