/** Sources of a server: the first without an obstacle is taken. */
export const providers = ["url", "embedded", "installed", "docker", "package"] as const;
export type Provider = (typeof providers)[number];

/** A Postgres, wherever it came from. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of the server's own database, as a user who may create others. */
  readonly url: string;
  /** Ends it with SIGINT ("fast") or SIGQUIT ("immediate") and starts it again at the same URL. */
  restart(mode: "fast" | "immediate"): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. Resolves when it answers. */
  start(): Promise<void>;
}

/** A RabbitMQ, wherever it came from. */
export interface BrokerServer extends AsyncDisposable {
  /** The URL of a virtual host, as a user tagged administrator. */
  readonly url: string;
  /** The URL of its HTTP API, with user and password. Null where that plugin is not on. */
  readonly managementUrl: string | null;
  /** Runs `rabbitmqctl` against this node and returns what it printed. */
  rabbitmqctl(...args: readonly string[]): Promise<string>;
  /** Imports users, rights and topology, as operators do. Null where there is no way to. */
  readonly importDefinitions: ((definitions: object) => Promise<void>) | null;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. Resolves when it accepts connections. */
  start(): Promise<void>;
}
