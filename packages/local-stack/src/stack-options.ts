/** The options that every part of a stack gets. */
export interface StackOptions {
  /** The folder of data, logs and pid files. */
  readonly dataFolder: string;
  /** A demo keeps its data and is careful with it; a test wants speed, and throws all away. */
  readonly purpose: "demo" | "test";
  /**
   * Whether RabbitMQ has its HTTP API, by which definitions are imported in a tenth of a second.
   */
  readonly management?: boolean;
  /**
   * The folder in which a package of the distribution is unpacked, for every stack of this machine
   * or of this project.
   */
  readonly packageFolder?: string;
  /** Further lines of the configuration of a RabbitMQ of our own, and its plugins. */
  readonly broker?: { readonly settings: readonly string[]; readonly plugins: readonly string[] };
  readonly log: (line: string) => void;
  /**
   * Called when a RabbitMQ of our own is about to start, with where it will answer some seconds
   * later.
   */
  readonly onBrokerStart?: (url: string) => void;
  /**
   * Called when it is time to start other processes: a RabbitMQ of our own has loaded half of its
   * modules, for which it takes every processor, or there is none that we start. May be called more
   * than once.
   */
  readonly onBrokerLoaded?: () => void;
}

const bases = { postgres: 25_000, broker: 26_000, epmd: 27_000, dist: 28_000, management: 29_000 };

/**
 * The port at which the search for a free one begins. Stacks that start together each begin
 * elsewhere, so that they do not race for one port: RabbitMQ takes its own only seconds after we
 * looked.
 */
export function portBase(part: keyof typeof bases): number {
  return bases[part] + ((process.pid * 7) % 900);
}
