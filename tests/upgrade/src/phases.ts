import { setTimeout as sleep } from "node:timers/promises";
import type { ShippedBroker } from "@holdfast/processes";
import { type Fleet, lastSentence, type Service } from "./fleet.ts";
import { migrateTo, type PendingMigrations, type Release } from "./release.ts";
import type { Refusal } from "./upgrade-report.ts";

/** What the phases of a run act on. */
export interface Run {
  /** The release before. */
  readonly from: Release;
  /** This release. */
  readonly to: Release;
  readonly pending: PendingMigrations;
  readonly fleet: Fleet;
  readonly broker: ShippedBroker;
  readonly stateStoreUrl: string;
  readonly say: (line: string) => void;
  /** What services of the release before said on the store of this one. */
  readonly refusals: Refusal[];
}

export interface Phase {
  readonly name: string;
  readonly what: (run: Run) => string;
  /** Its part of the run, beside those of the others. */
  readonly weight: number;
  /** Acts for about so many milliseconds. */
  readonly play: (run: Run, ms: number) => Promise<void>;
}

/** How many processes of each service there are. */
export const counts: Readonly<Record<Service, number>> = {
  scheduler: 2,
  supervisor: 2,
  submission: 2,
  operations: 1,
  agent: 2,
};

/** All services but the Agents, in the order in which the guide replaces them. */
const services: readonly Service[] = ["scheduler", "supervisor", "submission", "operations"];

export const phases: readonly Phase[] = [
  {
    name: "before",
    what: ({ from }) => `everything of ${from.title}`,
    weight: 1,
    play: (_run, ms) => spread([], ms),
  },
  {
    name: "Agents first",
    what: ({ from, to }) => `Agents of both, then of ${to.title}, beside services of ${from.title}`,
    weight: 1.5,
    play: (run, ms) =>
      spread(
        [
          ...replacing(run, ["agent"], [run.from, run.to]),
          ...replacing(run, ["agent"], [run.to, run.from]),
        ],
        ms,
      ),
  },
  {
    name: "upgrade",
    what: ({ pending }) =>
      pending.stopServices
        ? "services stopped, the migration, services started; Agents go on"
        : "the migration, then services one by one",
    weight: 1.5,
    play: upgrade,
  },
  {
    name: "Agents last",
    what: ({ from, to }) => `services of ${to.title} beside Agents of ${from.title}, then of both`,
    weight: 1,
    play: (run, ms) => spread([nothing, ...replacing(run, ["agent"], [run.from, run.to])], ms),
  },
  {
    name: "way back",
    what: ({ from, refusals }) =>
      refusals.length > 0
        ? `${from.title} refuses to start`
        : `everything back to ${from.title}, and forward again`,
    weight: 2,
    play: goBack,
  },
  {
    name: "after",
    what: ({ to }) => `everything of ${to.title}`,
    weight: 1,
    play: (_run, ms) => spread([], ms),
  },
];

type Act = () => Promise<void>;
type Way = readonly [from: Release, to: Release];

const nothing: Act = async () => {};

/** Acts one after the other, spread over so many milliseconds. */
export async function spread(acts: readonly Act[], ms: number): Promise<void> {
  const begun = performance.now();
  for (const [index, act] of [...acts, nothing].entries()) {
    const dueIn = begun + (index * ms) / (acts.length + 1) - performance.now();
    if (dueIn > 0) await sleep(dueIn);
    await act();
  }
  await sleep(Math.max(0, begun + ms - performance.now()));
}

/**
 * Acts that replace one process each, which runs beside the one in its place until that has
 * stopped.
 */
export const replacing = (
  { fleet, say }: Pick<Run, "fleet" | "say">,
  names: readonly Service[],
  [before, after]: Way,
): readonly Act[] =>
  names.flatMap((service) =>
    Array.from({ length: counts[service] }, () => async () => {
      await fleet.add(service, after);
      await fleet.remove(service, before);
      say(`${service} of ${before.title} replaced by ${after.title}`);
    }),
  );

/** Does what `docs/guides/upgrade.md` says, up to the Agents. */
async function upgrade(run: Run, ms: number): Promise<void> {
  const { from, to, pending, broker, stateStoreUrl, say } = run;
  const prepare = async (): Promise<void> => {
    await broker.importAs(to.definitionsOf);
    say("the definitions of the broker are imported");
  };
  const migrate = async (): Promise<void> => {
    await migrateTo(to, stateStoreUrl, say);
    say(`migrated: ${pending.names.join(", ") || "nothing to do"}`);
  };
  if (!pending.stopServices) {
    return await spread([prepare, migrate, ...replacing(run, services, [from, to])], ms);
  }
  await spread(
    [
      prepare,
      async () => {
        await forAll((service) => run.fleet.remove(service, from));
        say("all services but the Agents are stopped");
        await migrate();
        await forAll((service) => run.fleet.add(service, to));
        say(`all services of ${to.title} are ready`);
      },
    ],
    ms,
  );
}

/** Acts on each process of each service but the Agents, all at once. */
const forAll = (act: (service: Service) => Promise<void>): Promise<unknown> =>
  Promise.all(
    services.flatMap((service) => Array.from({ length: counts[service] }, () => act(service))),
  );

/**
 * Goes back to the release before and forward again, or shows how it refuses the store of this one.
 */
async function goBack(run: Run, ms: number): Promise<void> {
  const { from, to, refusals, say } = run;
  for (const service of services) {
    const said = await refusalOf(run, service);
    say(`${service} of ${from.title}: ${said ?? "starts"}`);
    if (said !== null) refusals.push({ service, said });
  }
  if (refusals.length > 0) return await spread([], ms);
  const all: readonly Service[] = [...services, "agent"];
  await spread(
    [...replacing(run, all.toReversed(), [to, from]), nothing, ...replacing(run, all, [from, to])],
    ms,
  );
}

/** Milliseconds. */
const refusedWithin = 60_000;

/** What a service of the release before says when it ends at its start; null: it gets ready. */
async function refusalOf({ fleet, from }: Run, service: Service): Promise<string | null> {
  const { process, ready, said } = fleet.launch(service, from);
  try {
    return await Promise.race([
      ready.then(() => null),
      sleep(refusedWithin, "it neither gets ready nor ends", { ref: false }),
    ]);
  } catch (error) {
    return lastSentence(said) || String(error);
  } finally {
    await process[Symbol.asyncDispose]();
  }
}
