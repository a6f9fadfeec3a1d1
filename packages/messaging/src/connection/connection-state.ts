import type { RecoveringChannelModel } from "amqplib";

export interface ConnectionLog {
  warn(fields: object, message: string): void;
}

export interface ConnectionState {
  readonly isUp: boolean;
  readonly isBlocked: boolean;
  /** Why the last attempt to connect failed. */
  readonly lastError: unknown;
}

interface Options {
  readonly name: string;
  readonly log: ConnectionLog;
}

/** Follows the events of a connection: keeps its state, and warns of each that takes it away. */
export function trackConnection(
  model: RecoveringChannelModel,
  { name, log }: Options,
): ConnectionState {
  const state = { isUp: false, isBlocked: false, lastError: undefined as unknown };
  model.on("error", (err) => log.warn({ err, connection: name }, "broker connection failed"));
  model.on("connect-failed", (err) => {
    state.lastError = err;
  });
  model.on("connect", () => {
    Object.assign(state, { isUp: true, isBlocked: false });
  });
  model.on("disconnect", (err) => {
    Object.assign(state, { isUp: false, isBlocked: false });
    log.warn({ err, connection: name }, "broker connection lost");
  });
  model.on("blocked", (reason) => {
    state.isBlocked = true;
    log.warn({ reason, connection: name }, "broker connection blocked");
  });
  model.on("unblocked", () => {
    state.isBlocked = false;
  });
  return state;
}
