import { setTimeout as sleep } from "node:timers/promises";
import {
  environmentOf,
  type KeptProcess,
  keepRunning,
  type LaunchedService,
  type LogLine,
  launchService,
  type ServiceName,
  type ServiceProcess,
  type SystemPlaces,
} from "@holdfast/processes";
import type { Release } from "./release.ts";

/**
 * The services that are upgraded. The partners stand for the world outside, and keep their ledger.
 */
export type Service = Exclude<ServiceName, "partners">;

interface Kill {
  readonly at: number;
  readonly service: Service;
  readonly release: Release;
}

/** A process that ended otherwise than it should. */
interface BadEnd {
  readonly service: Service;
  readonly release: Release;
  /** The last of what it logged as an error. */
  readonly said: string;
}

interface Member {
  readonly service: Service;
  readonly release: Release;
  readonly process: KeptProcess;
  readonly leave: AbortController;
}

/**
 * The processes of both releases, of which each is started again whenever it ends, until it is
 * taken out.
 */
export interface Fleet extends AsyncDisposable {
  /** Starts one more process and keeps it running. Resolves when it is ready. */
  add(service: Service, release: Release): Promise<void>;
  /** Stops a process of that release in order, as an operator does; it is not started again. */
  remove(service: Service, release: Release): Promise<void>;
  /** Starts a process that is not started again, and may never get ready. */
  readonly launch: (
    service: Service,
    release: Release,
  ) => LaunchedService & { readonly said: readonly LogLine[] };
  /** The URLs of the processes of a service, of one release or of both, that are ready. */
  urlsOf(service: Service, release?: Release): readonly string[];
  /** The release of a process, by the URL at which it has listened. */
  releaseAt(url: string): Release | undefined;
  /** The release of each instance that has been ready, by the name with which it signs. */
  readonly instances: ReadonlyMap<string, Release>;
  readonly kills: readonly Kill[];
  /** Processes that ended by themselves, or never got ready. */
  readonly crashes: readonly BadEnd[];
  /** Processes that were asked to stop, and had not when their grace was over. */
  readonly overstays: readonly BadEnd[];
  /** Ends the killing. Resolves when no process is being killed any more. */
  leaveAlone(): Promise<void>;
}

interface FleetOptions {
  /** Returns where the processes of a release find each other. */
  readonly places: (release: Release) => SystemPlaces;
  /** Milliseconds from one kill to the next. */
  readonly killEvery: number;
  readonly random: () => number;
  readonly onKill: (kill: Kill) => void;
  readonly onLog: (line: LogLine, service: Service, release: Release) => void;
}

/** The folder of the main file of a service, where it is not named after it. */
const folderOf = (service: Service): string => (service === "operations" ? "submission" : service);

/** Milliseconds from the end of a process to the next start, as an orchestrator would wait. */
const restBeforeStart = 300;

/** Opens a fleet without processes, of which one is killed with -9 every few seconds. */
export function openFleet(options: FleetOptions): Fleet {
  const members: Member[] = [];
  const kills: Kill[] = [];
  const overstays: BadEnd[] = [];
  const { launch, start, lastSaid, crashes, instances, releaseAt } = openStarter(options);
  const peace = new AbortController();
  const killing = killNowAndThen(members, { ...options, kills, signal: peace.signal });
  const leaveAlone = async (): Promise<void> => {
    peace.abort();
    await killing;
  };
  const stop = async (member: Member): Promise<void> => {
    const { service, release, process } = member;
    if ((await endMember(member)) === 0) return;
    overstays.push({ service, release, said: lastSaid(process.process?.pid ?? 0) });
  };
  const isOf = (service: Service, release: Release) => (one: Member) =>
    one.service === service && one.release === release;
  return {
    instances,
    kills,
    crashes,
    overstays,
    launch,
    leaveAlone,
    releaseAt,
    async add(service, release) {
      const leave = new AbortController();
      const { signal } = leave;
      const process = keepRunning({
        start: () => start(service, release),
        restBeforeStart,
        signal,
        // A signal leaves no exit code. One that is being taken out ends as it was asked to.
        onEnd: ({ pid }, code) => {
          if (code !== null) crashes.push({ service, release, said: lastSaid(pid) });
        },
      });
      members.push({ service, release, process, leave });
      await process.started;
    },
    async remove(service, release) {
      const member = members.find(isOf(service, release));
      if (member === undefined) throw new Error(`No ${service} of ${release.title} is kept.`);
      members.splice(members.indexOf(member), 1);
      await stop(member);
    },
    urlsOf: (service, release) =>
      members.flatMap((one) => {
        const { process } = one.process;
        if (one.service !== service || process?.isRunning !== true) return [];
        if (one.release !== (release ?? one.release)) return [];
        return [String(process.ready["url"])];
      }),
    async [Symbol.asyncDispose]() {
      await leaveAlone();
      await Promise.all(members.splice(0).map(stop));
    },
  };
}

interface Starter extends Pick<Fleet, "launch" | "instances" | "releaseAt"> {
  readonly crashes: BadEnd[];
  readonly start: (service: Service, release: Release) => Promise<ServiceProcess>;
  /** What a process that was ready logged last of what went wrong. */
  readonly lastSaid: (pid: number) => string;
}

/**
 * Starts processes, and keeps account of those that were ready and of those that ended by
 * themselves.
 */
function openStarter({ places, onLog }: FleetOptions): Starter {
  const crashes: BadEnd[] = [];
  const instances = new Map<string, Release>();
  const releaseByUrl = new Map<string, Release>();
  const saidBy = new Map<number, readonly LogLine[]>();
  const launch: Fleet["launch"] = (service, release) => {
    const said: LogLine[] = [];
    const launched = launchService({
      service: folderOf(service),
      name: `${service} of ${release.title}`,
      root: release.root,
      env: environmentOf(service, places(release)),
      onLog: (line) => {
        if (line.level > warning) said.push(line);
        onLog(line, service, release);
      },
    });
    return { ...launched, said };
  };
  return {
    crashes,
    instances,
    launch,
    releaseAt: (url) => releaseByUrl.get(url),
    lastSaid: (pid) => lastSentence(saidBy.get(pid) ?? []),
    async start(service, release) {
      const { process, ready, said } = launch(service, release);
      const note = (): void => void crashes.push({ service, release, said: lastSentence(said) });
      const line = await ready.catch((error: unknown) => {
        note();
        throw error;
      });
      instances.set(String(line["instance"]), release);
      releaseByUrl.set(String(line["url"]), release);
      saidBy.set(process.pid, said);
      return Object.assign(process, { ready: line });
    },
  };
}

/** What a service logged last of what went wrong: the words of the fault, where it has one. */
export function lastSentence(said: readonly LogLine[]): string {
  const line = said.at(-1);
  const { message } = (line?.["err"] ?? {}) as { readonly message?: string };
  return message ?? line?.msg ?? "";
}

/** The level of warnings; what is above it is an error, or the end of a process. */
const warning = 40;

/**
 * Asks a process to stop, and resolves to its exit code once it has; to 0 as well for one that was
 * killed.
 */
async function endMember({ process: kept, leave }: Member): Promise<number> {
  leave.abort();
  // A start that is under way ends first.
  await kept.over;
  await kept.process?.[Symbol.asyncDispose]();
  return (await kept.process?.exited) ?? 0;
}

interface KillOptions extends Pick<FleetOptions, "killEvery" | "random" | "onKill"> {
  readonly kills: Kill[];
  readonly signal: AbortSignal;
}

async function killNowAndThen(
  members: readonly Member[],
  { killEvery, random, onKill, kills, signal }: KillOptions,
): Promise<void> {
  for (;;) {
    await sleep(killEvery, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const running = members.filter(({ process }) => process.process?.isRunning === true);
    const victim = running[Math.floor(random() * running.length)];
    const process = victim?.process.process ?? null;
    if (victim === undefined || process === null) continue;
    const kill = { at: Date.now(), service: victim.service, release: victim.release };
    process.signal("SIGKILL");
    kills.push(kill);
    onKill(kill);
  }
}
