import { familyOf } from "@holdfast/domain";
import { type WorkflowRecord } from "@holdfast/state-store";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";

type Versioning = Pick<
  AtOnce<SimulatedStore>,
  | "activateWorkflow"
  | "findActiveVersions"
  | "findKnownAgents"
  | "findWorkflows"
  | "reinstateWorkflow"
  | "retireWorkflow"
>;

/** Which version of each workflow is active, and which are retired. */
export const versioning = (state: StoreState): Versioning => ({
  // The latest first.
  findWorkflows: () => [...state.versions.values()].toReversed(),
  // That no Agent has announced itself says nothing of any.
  findKnownAgents: () => [],
  findActiveVersions: ({ names }) =>
    new Set(names.filter((name) => state.versions.get(name)?.isActive === true)),

  activateWorkflow({ name, actor, reason, asAwaited }) {
    const found = state.versions.get(name);
    if (found === undefined || (asAwaited && !found.awaitsAgents)) return false;
    for (const one of versionsLike(state, name)) {
      const isPassed = !asAwaited || numberOf(one.name) <= numberOf(name);
      const awaitsAgents = one.awaitsAgents && !isPassed;
      put(state, { ...one, isActive: one.isActive && one.name === name, awaitsAgents });
    }
    if (!found.isActive) put(state, activated(state, found, { by: actor, reason }));
    return true;
  },

  retireWorkflow({ name, actor, reason }) {
    const found = state.versions.get(name);
    if (found === undefined || found.retiredAt !== null) return false;
    const retired = { retiredAt: new Date(state.now()), retiredBy: actor, retiredReason: reason };
    put(state, { ...found, ...retired, isActive: false, awaitsAgents: false });
    keepOneActive(state, name, { by: actor, reason: `${name} was retired: ${reason}` });
    return true;
  },

  reinstateWorkflow({ name }) {
    const found = state.versions.get(name);
    if (found === undefined || found.retiredAt === null) return false;
    put(state, { ...found, ...notRetired });
    keepOneActive(state, name, { by: found.storedBy, reason: "no other version takes tasks" });
    return true;
  },
});

interface NewVersion {
  readonly name: string;
  readonly storedBy: string | null;
  /** Whether it may become active once its Agents are known. */
  readonly activates: boolean;
}

/**
 * Adds a version: the first of its workflow is active at once, and a newer one awaits its Agents.
 */
export function addVersion(state: StoreState, { name, storedBy, activates }: NewVersion): void {
  const others = versionsLike(state, name);
  const isNewest = others.every(
    (one) => !(one.isActive || one.awaitsAgents) || numberOf(one.name) < numberOf(name),
  );
  put(state, {
    name,
    collections: [],
    createdAt: new Date(state.now()),
    storedBy,
    ...notRetired,
    byOperators: true,
    isActive: false,
    activatedAt: null,
    activatedBy: null,
    activatedReason: null,
    awaitsAgents: activates && isNewest && others.some(({ isActive }) => isActive),
  });
  keepOneActive(state, name, { by: storedBy, reason: "no other version takes tasks" });
}

/** Why a version takes no task, by what is stored now; null: it takes it. */
export function refusalOf(
  { versions }: StoreState,
  { workflow, takesActive = false }: { readonly workflow: string; readonly takesActive?: boolean },
): "retired" | "outdated" | null {
  const version = versions.get(workflow);
  if (version === undefined) return null;
  if (takesActive) return version.isActive ? null : "outdated";
  return version.retiredAt === null ? null : "retired";
}

const notRetired = { retiredAt: null, retiredBy: null, retiredReason: null } as const;

const numberOf = (name: string): number => Number(/\.v([1-9][0-9]{0,5})$/.exec(name)?.[1] ?? 0);

const put = ({ versions }: StoreState, version: WorkflowRecord): void =>
  void versions.set(version.name, version);

/** The versions of the workflow that this is one of. */
function versionsLike({ versions }: StoreState, name: string): readonly WorkflowRecord[] {
  const family = familyOf(name);
  return [...versions.values()].filter((one) => familyOf(one.name) === family);
}

interface Cause {
  readonly by: string | null;
  readonly reason: string;
}

const activated = (
  { now }: StoreState,
  version: WorkflowRecord,
  { by, reason }: Cause,
): WorkflowRecord => ({
  ...version,
  ...notRetired,
  isActive: true,
  awaitsAgents: false,
  activatedAt: new Date(now()),
  activatedBy: by,
  activatedReason: reason,
});

/**
 * Has one version active while any takes tasks: if none is, the one that was active last, or else
 * the newest.
 */
function keepOneActive(state: StoreState, name: string, cause: Cause): void {
  const open = versionsLike(state, name).filter(({ retiredAt }) => retiredAt === null);
  if (open.some(({ isActive }) => isActive)) return;
  const [best] = open.toSorted(
    (one, other) =>
      (other.activatedAt?.getTime() ?? 0) - (one.activatedAt?.getTime() ?? 0) ||
      numberOf(other.name) - numberOf(one.name),
  );
  if (best !== undefined) put(state, activated(state, best, cause));
}
