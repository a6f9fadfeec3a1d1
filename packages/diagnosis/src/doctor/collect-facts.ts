import { Fault } from "@holdfast/domain";
import { type BrokerFacts, inspectBroker } from "@holdfast/messaging";
import {
  type AgentDemand,
  type ClockFacts,
  type ContractDifference,
  type LateWaits,
  type Loss,
  type Migrations,
  openInspector,
  type PartitionFacts,
  type PathFacts,
  type PauseInForce,
  type RemoteFacts,
  type ScheduleTroubles,
  type SeenInbox,
  type SeenInstance,
  type ServerFacts,
  type StalledConsumerFacts,
  type StoreInspector,
  type UnreadFormats,
  type UnsentNotifications,
  type Unusable,
} from "@holdfast/state-store";
import type { ClockSample } from "./check-clock.ts";
import type { PoolerFacts } from "./check-schema.ts";
import type { VacuumFacts } from "./check-vacuum.ts";

export interface FactsOptions {
  /** Who looks, for the servers' own lists of connections. */
  readonly name: string;
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  readonly managementUrl: string | null;
  /** This host's clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from which on a transaction counts as long. */
  readonly openFor: number;
}

/** What a store has once it is migrated. */
interface StoreContents {
  readonly needs: readonly AgentDemand[];
  readonly differences: readonly ContractDifference[];
  readonly losses: readonly Loss[];
  readonly stalledConsumers: readonly StalledConsumerFacts[];
  readonly unsent: UnsentNotifications;
  readonly partitions: PartitionFacts;
  readonly clock: ClockFacts;
  readonly lateWaits: readonly LateWaits[];
  readonly scheduleTroubles: readonly ScheduleTroubles[];
  readonly unreadFormats: readonly UnreadFormats[];
  readonly pauses: { readonly inForce: readonly PauseInForce[]; readonly tasks: number };
  readonly breakers: readonly RemoteFacts[];
  readonly paths: PathFacts;
  readonly instances: readonly SeenInstance[];
  readonly inbox: SeenInbox;
  readonly unusable: Unusable;
  readonly storeId: string;
}

export interface StoreFacts {
  readonly server: ServerFacts;
  /** Samples of the store's clock, without what `holdfast dev` has advanced it by. */
  readonly clock: readonly ClockSample[];
  /** Milliseconds by which `holdfast dev` has advanced the clock. */
  readonly advance: number;
  readonly pooler: PoolerFacts;
  readonly vacuum: VacuumFacts;
  readonly migrations: Migrations;
  /** The contents of the store; null: the schema is not there, or not that of this release. */
  readonly contents: StoreContents | null;
}

/** What was seen of each server, or why it could not be looked at. */
export interface Facts {
  readonly store: StoreFacts | Fault;
  readonly broker: BrokerFacts | Fault;
}

const day = 24 * 3_600_000;
const minute = 60_000;

/** Looks at both servers. One that cannot be reached does not keep us from looking at the other. */
export async function collectFacts(options: FactsOptions): Promise<Facts> {
  const { name, stateStoreUrl: url, brokerUrl, managementUrl } = options;
  await using inspector = openInspector({ url, applicationName: name });
  const store = await orFault(() => inspectStore(inspector, options));
  const { needs = [], storeId = null } = (store instanceof Fault ? null : store.contents) ?? {};
  const agents = needs.map(({ agent }) => agent);
  const broker = await orFault(() =>
    inspectBroker({ url: brokerUrl, managementUrl, name, agents, storeId }),
  );
  return { store, broker };
}

async function orFault<Found>(look: () => Promise<Found>): Promise<Found | Fault> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

async function inspectStore(
  store: StoreInspector,
  { now, openFor }: FactsOptions,
): Promise<StoreFacts> {
  const advance = await store.findClockAdvance();
  const clock: ClockSample[] = [];
  for (let look = 0; look < 3; look += 1) {
    const before = now();
    const { now: answer } = await store.findServer();
    clock.push({ before, store: answer - advance, after: now() });
  }
  const server = await store.findServer();
  const migrations = await store.findMigrations();
  return {
    server,
    clock,
    advance,
    migrations,
    pooler: { pooler: await store.findPooler(), options: await store.findKeptOptions() },
    vacuum: {
      server,
      holders: await store.findHolders({ longerThan: openFor, furtherThan: 1_000_000 }),
      tables: await store.findUnvacuumed({ moreThan: 50_000 }),
    },
    contents: migrations.pending.length > 0 ? null : await inspectContents(store),
  };
}

const inspectContents = async (store: StoreInspector): Promise<StoreContents> => ({
  needs: await store.findAgentDemands(),
  differences: await store.findContractDifferences(),
  losses: await store.findLosses({ within: day }),
  stalledConsumers: await store.findStalledConsumers(),
  unsent: await store.countUnsent({ within: day, longerThan: minute }),
  partitions: await store.findPartitions(),
  clock: await store.findClockFacts(),
  lateWaits: await store.findLateWaits(),
  scheduleTroubles: await store.findScheduleTroubles(),
  unreadFormats: await store.findUnreadFormats(),
  pauses: await store.findPausesInForce(),
  breakers: await store.findBreakers(),
  paths: await store.findPaths(),
  instances: await store.findInstances(),
  inbox: await store.findInbox({ within: day }),
  unusable: await store.findUnusable(10),
  storeId: await store.findStoreId(),
});
