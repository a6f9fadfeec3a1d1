import {
  type KeptProcess,
  keepRunning,
  type ServiceName,
  type ServiceProcess,
  type System,
} from "@holdfast/processes";
import { type Link, openLink } from "@holdfast/test-servers";

/**
 * The services that are broken. The partners stand for the world outside, and keep their ledger.
 */
export type Breakable = Exclude<ServiceName, "partners" | "operations">;

/** What a process depends on. */
export type Dependency = "store" | "broker" | "partners";

/** One process that is started again whenever it ends, and its own links to what it depends on. */
export interface Member {
  readonly name: string;
  readonly service: Breakable;
  readonly links: Readonly<Partial<Record<Dependency, Link>>>;
  /** The process; null while there is none that is ready. */
  readonly process: ServiceProcess | null;
}

export interface KeptProcesses extends AsyncDisposable {
  readonly members: readonly Member[];
  /** The URLs at which orders are taken at the moment. */
  submissionUrls(): readonly string[];
}

interface KeptProcessesOptions {
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
export async function startKeptProcesses({
  system,
  count,
  random,
}: KeptProcessesOptions): Promise<KeptProcesses> {
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  const kept: KeptProcess[] = [];
  const members: Member[] = [];
  for (const service of services) {
    for (let number = 1; number <= count[service]; number += 1) {
      const links = await openLinks(system.environmentOf(service), random);
      for (const link of Object.values(links)) stack.use(link);
      const one = keepRunning({
        start: () => system.start(service, throughLinks(links)),
        signal: stopping.signal,
      });
      kept.push(one);
      members.push(memberOf(one, { name: `${service}-${number}`, service, links }));
    }
  }
  stack.defer(async () => {
    stopping.abort();
    await Promise.all(kept.map(stop));
  });
  await Promise.all(kept.map(({ started }) => started));
  const owned = stack.move();
  return {
    members,
    submissionUrls: () =>
      members.flatMap(({ service, process }) =>
        service === "submission" && process !== null ? [String(process.ready["url"])] : [],
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const memberOf = (kept: KeptProcess, rest: Omit<Member, "process">): Member => ({
  ...rest,
  get process() {
    return kept.process;
  },
});

async function stop(kept: KeptProcess): Promise<void> {
  await kept.process?.[Symbol.asyncDispose]();
  // One that was being started.
  await kept.over;
  await kept.process?.[Symbol.asyncDispose]();
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
