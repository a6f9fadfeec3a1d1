import type { Clock } from "@holdfast/runtime";
import type {
  AtOnce,
  Domain,
  Host,
  MemoryStore,
  SimulatedBroker,
  SimulatedStore,
} from "@holdfast/testing/simulator";
import type { RemoteHabits, RemoteService } from "./remote.ts";

/**
 * Something built wrongly: each part of it stands in the place of what is handed to the code that
 * is tried. That code itself stays as it is.
 */
export interface Mutation {
  readonly domain?: (domain: Domain) => Domain;
  readonly store?: (store: MemoryStore) => AtOnce<SimulatedStore>;
  /** The store as a process sees it. */
  readonly storePort?: (port: SimulatedStore, store: MemoryStore) => SimulatedStore;
  /** The broker as a process sees it. */
  readonly brokerPort?: (port: SimulatedBroker, host: Host) => SimulatedBroker;
  readonly habits?: Partial<RemoteHabits>;
  readonly service?: (service: RemoteService) => RemoteService;
  readonly clock?: (clock: Clock, host: Host) => Clock;
  readonly identity?: "trusted";
  /** Who may not decide a step, as those see it who take decisions. */
  readonly excluded?: (ids: readonly string[]) => readonly string[];
  readonly maxInFlight?: number;
}
