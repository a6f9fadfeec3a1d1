import type { AtOnce, MemoryStore, SimulatedStore } from "@holdfast/testing/simulator";
import type { FaultKind } from "./faults.ts";
import type { VersionAct, VersionJudge } from "./judge-versions.ts";
import { dealVersions } from "./workflows.ts";
import type { World } from "./world.ts";

interface Options {
  readonly memory: MemoryStore;
  /** The store as the mutant that is tried has it. */
  readonly store: AtOnce<SimulatedStore>;
  readonly judge: VersionJudge;
}

/** Milliseconds between two rounds. */
const interval = 60;
const request = { actor: "operator", reason: "a roll-out" };

/**
 * Operators store, activate, retire and reinstate versions while orders come in, until the healing.
 */
export function unleashRollout(world: World, { memory, store, judge }: Options): void {
  const { random, timeline } = world;
  const storeVersion = (name: string): boolean => {
    const definition = dealVersions.find((one) => one.name === name);
    return definition !== undefined && store.registerWorkflow(definition) === "created";
  };
  const acts: Readonly<Record<VersionAct, (name: string) => boolean>> = {
    store: storeVersion,
    activate: (name) => store.activateWorkflow({ ...request, name, asAwaited: false }),
    retire: (name) => store.retireWorkflow({ ...request, name }),
    reinstate: (name) => store.reinstateWorkflow({ name }),
  };
  const on = (kind: FaultKind, act: VersionAct, among: readonly string[]): void => {
    if (among.length === 0 || !world.strikes(kind)) return;
    const name = random.pick(among);
    world.tell("operator", () => `${act}s ${name}`);
    if (acts[act](name)) judge.changed(name, act);
    else world.accuse("what an operator may do to a version is done", () => `${act} ${name}`);
  };
  const namesOf = (isRetired: boolean): readonly string[] =>
    memory
      .findWorkflows()
      .filter(({ retiredAt }) => (retiredAt !== null) === isRetired)
      .map(({ name }) => name);

  const round = (): void => {
    if (world.healedAt !== null) return;
    const known = [...namesOf(false), ...namesOf(true)];
    const left = dealVersions.map(({ name }) => name).filter((name) => !known.includes(name));
    on("versionStored", "store", left);
    on("versionActivated", "activate", known);
    on("versionRetired", "retire", namesOf(false));
    on("versionReinstated", "reinstate", namesOf(true));
    timeline.aside(interval, round);
  };
  for (const { name } of memory.findWorkflows()) judge.changed(name, "store");
  timeline.aside(interval, round);
}
