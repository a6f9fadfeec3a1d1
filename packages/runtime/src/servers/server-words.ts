import { type Milliseconds, SetupFault } from "@holdfast/domain";
import type { ServerState } from "./server-state.ts";

/** The servers that a process connects to. */
export type ServerName = "broker" | "state store";

/** What of a logger is used. */
export interface ServerLog {
  info?(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error?(fields: object, message: string): void;
}

interface Down {
  readonly kind: ServerState["kind"];
  /** Whether there has been an attempt before. */
  readonly wasKnown: boolean;
  readonly reason: string;
  readonly error: unknown;
}

/** What is said of one server. */
export interface ServerWords {
  /** The label of its metrics. */
  readonly label: string;
  readonly down: (log: ServerLog, down: Down) => void;
  readonly back: (
    log: ServerLog,
    outage: { readonly attempts: number; readonly after: Milliseconds },
  ) => void;
  readonly blocked: (log: ServerLog, reason: string) => void;
  readonly unblocked: (log: ServerLog) => void;
  /** The fault that ends a process. */
  readonly refusedForGood: (reason: string) => SetupFault;
}

/** The lines of the log for each change of a server's state, one for a change. */
export const serverWords = (name: ServerName): ServerWords =>
  name === "broker" ? ofBroker : ofStore;

const ofBroker: ServerWords = {
  label: "broker",
  down(log, { kind, wasKnown, reason, error }) {
    if (kind === "refused") {
      const remedy = "Check the user, password and virtual host in BROKER_URL";
      return sayError(log, { reason, remedy }, "broker login refused");
    }
    const message = wasKnown ? "broker connection lost" : "broker cannot be reached";
    log.warn({ err: error, reason }, message);
  },
  back: (log, outage) => log.info?.(outage, "broker connection restored"),
  blocked: (log, reason) => log.warn({ reason }, "broker blocks publishers"),
  unblocked: (log) => log.info?.({}, "broker accepts messages again"),
  refusedForGood: (reason) =>
    new SetupFault("broker.login_refused", `RabbitMQ refuses the login: ${reason}`),
};

const ofStore: ServerWords = {
  label: "state_store",
  down(log, { kind, wasKnown, reason, error }) {
    if (kind === "refused") {
      const remedy = "Check the user, password and database in STATE_STORE_URL";
      return sayError(log, { reason, remedy }, "state store login refused");
    }
    const message = wasKnown ? "state store connection lost" : "state store cannot be reached";
    log.warn({ err: error, reason }, message);
  },
  back: (log, outage) => log.info?.(outage, "state store connection restored"),
  blocked: () => {},
  unblocked: () => {},
  refusedForGood: (reason) =>
    new SetupFault("store.login_refused", `Postgres refuses the login: ${reason}`),
};

const sayError = (log: ServerLog, fields: object, message: string): void =>
  log.error === undefined ? log.warn(fields, message) : log.error(fields, message);
