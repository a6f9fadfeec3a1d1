import { once } from "node:events";
import { type Measurement, measure, type Subject } from "../subject.ts";
import type { PeerName } from "./install-peers.ts";
import { loadPeer } from "./load-peer.ts";

/** The settings of a contender's program, from its environment. */
export interface DecisionContext {
  /** The URL of a database of its own. */
  readonly databaseUrl: string;
  readonly brokerUrl: string;
  /** The folder for its data and logs; empty. */
  readonly folder: string;
  /** The folder in which the peers are installed. */
  readonly peersFolder: string;
  /** Optimisations that Holdfast leaves out. */
  readonly without: readonly string[];
  /** Loads a peer's package. */
  readonly peer: <Exports>(name: PeerName) => Promise<Exports>;
}

export interface Started {
  readonly subject: Subject;
  /** The ids of the processes that it started, by what they do. */
  readonly pids: Readonly<Record<string, number>>;
}

/** What the program says when it is ready to be measured. */
export interface ReadyMessage {
  readonly pids: Started["pids"];
}

/** What it says when it has measured: milliseconds, as `measure` resolves to them. */
export interface MeasuredMessage {
  readonly times: readonly number[];
}

/**
 * The frame of every contender's program: starts the contender, runs one measurement after the
 * other as the parent process asks for them, and ends when that goes away.
 */
export async function runContender(
  start: (owner: AsyncDisposableStack, surroundings: DecisionContext) => Promise<Started>,
): Promise<void> {
  const owner = new AsyncDisposableStack();
  const parentGone = once(process, "disconnect");
  const { subject, pids } = await start(owner, surroundingsOf(process.env));
  process.on("message", (measurement: Measurement) => {
    void measure(subject, measurement).then((times) => tell({ times }));
  });
  tell({ pids });
  await parentGone;
  await owner.disposeAsync();
  process.exit();
}

function tell(message: ReadyMessage | MeasuredMessage): void {
  process.send?.(message);
}

function surroundingsOf(env: NodeJS.ProcessEnv): DecisionContext {
  const {
    DATABASE_URL = "",
    BROKER_URL = "",
    FOLDER = "",
    PEERS_FOLDER = "",
    HOLDFAST_WITHOUT = "",
  } = env;
  return {
    databaseUrl: DATABASE_URL,
    brokerUrl: BROKER_URL,
    folder: FOLDER,
    peersFolder: PEERS_FOLDER,
    without: HOLDFAST_WITHOUT.split(",").filter((name) => name !== ""),
    peer: (name) => loadPeer(PEERS_FOLDER, name),
  };
}
