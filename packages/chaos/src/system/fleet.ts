import { type Link, openLink } from "@holdfast/local-stack";
import type { ServiceName, ServiceProcess, System } from "@holdfast/local-system";

/** The services that are broken. The partners stand for the world outside, and keep their ledger. */
export type Breakable = Exclude<ServiceName, "partners" | "operations">;

/** What a process depends on. */
export type Dependency = "store" | "broker" | "partners";

/** One process that is started again whenever it ends, and its own links to what it depends on. */
export interface Member {
  readonly name: string;
  readonly service: Breakable;
  readonly links: Readonly<Partial<Record<Dependency, Link>>>;
  /** Null while there is none that is ready. */
  readonly process: ServiceProcess | null;
}

export interface Fleet extends AsyncDisposable {
  readonly members: readonly Member[];
  /** Where orders are taken at the moment. */
  submissionUrls(): readonly string[];
}

interface FleetOptions {
  readonly system: System;
  readonly count: Readonly<Record<Breakable, number>>;
  readonly random: () => number;
}

const services = ["submission", "agent", "scheduler", "supervisor"] as const;

/** Which setting of a service says where the dependency is. */
const settings = {
  store: "STATE_STORE_URL",
  broker: "BROKER_URL",
  partners: "PARTNERS_URL",
} as const satisfies Record<Dependency, string>;

/** Starts the processes, each behind links of its own. Resolves once all are ready. */
export async function startFleet({ system, count, random }: FleetOptions): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const keepers: Keeper[] = [];
  for (const service of services) {
    for (let number = 1; number <= count[service]; number += 1) {
      const env = system.environmentOf(service);
      const links = await openLinks(env, random);
      for (const link of Object.values(links)) stack.use(link);
      keepers.push(
        keepRunning({ name: `${service}-${number}`, service, links }, () =>
          system.start(service, throughLinks(links)),
        ),
      );
    }
  }
  stack.defer(async () => void (await Promise.all(keepers.map((keeper) => keeper.stop()))));
  await Promise.all(keepers.map(({ started }) => started));
  const owned = stack.move();
  const members = keepers.map(({ member }) => member);
  return {
    members,
    submissionUrls: () =>
      members.flatMap(({ service, process }) =>
        service === "submission" && process !== null ? [String(process.ready["url"])] : [],
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Links = Readonly<Partial<Record<Dependency, Link>>>;

async function openLinks(
  env: Readonly<Record<string, string>>,
  random: () => number,
): Promise<Links> {
  const links: Partial<Record<Dependency, Link>> = {};
  for (const [dependency, setting] of Object.entries(settings) as [Dependency, string][]) {
    const url = env[setting];
    // What has several servers is broken itself, and not the way to it.
    if (url !== undefined && URL.canParse(url)) links[dependency] = await openLink(url, random);
  }
  return links;
}

const throughLinks = (links: Links): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.entries(links) as [Dependency, Link][]).map(([dependency, { url }]) => [
      settings[dependency],
      url,
    ]),
  );

interface Keeper {
  readonly member: Member;
  /** Resolves when it is ready for the first time; rejects if it never is. */
  readonly started: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a process, and starts it again when it has ended, as whatever runs a service would. */
function keepRunning(
  { name, service, links }: Omit<Member, "process">,
  start: () => Promise<ServiceProcess>,
): Keeper {
  let process: ServiceProcess | null = null;
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  const wasReady = Promise.withResolvers<void>();

  const keep = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        process = await start();
      } catch (error) {
        // What it depends on may be broken just now; whatever runs a service starts it once more.
        wasReady.reject(error);
        continue;
      }
      wasReady.resolve();
      if (isStopping()) return;
      await process.exited;
      process = null;
    }
  };
  const ended = keep();
  return {
    member: {
      name,
      service,
      links,
      get process() {
        return process;
      },
    },
    started: wasReady.promise,
    async stop() {
      stopping.abort();
      await process?.[Symbol.asyncDispose]();
      await ended;
      await process?.[Symbol.asyncDispose]();
    },
  };
}
