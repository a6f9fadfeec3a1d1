import {
  type FormCheck,
  openForm,
  openSignal,
  openTaskInput,
  type SignalCheck,
  type TaskInputCheck,
} from "@holdfast/contracts";
import {
  agentsOfStep,
  type CallDefinition,
  callsOf,
  Fault,
  familyOf,
  namesLike,
  signalsOf,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { batchCalls, boundedMap, type Clock, systemClock } from "@holdfast/runtime";
import { type SubmissionStore, type WorkflowRecord } from "@holdfast/state-store";
import { type Snapshot, snapshotCache } from "./directory-snapshot.ts";
import { Problem } from "./problem.ts";

/** A version of a workflow that tasks can be submitted to. */
export interface OpenWorkflow {
  readonly name: string;
  readonly family: string;
  readonly definition: WorkflowDefinition;
  /** What is wrong with an input, by the workflow's own schema. */
  readonly check: TaskInputCheck;
  /**
   * What is wrong with the payload of a signal, by the schema that the workflow has for it; null:
   * no step of it waits for a signal of that name.
   */
  readonly checkSignal: (name: string) => SignalCheck | null;
  /** What is wrong with a form, by the schema that the workflow has for that step, or has not. */
  readonly checkForm: (step: string) => FormCheck;
  /**
   * Whether it was asked for without a version: then it counts only as long as it is the active
   * one.
   */
  readonly takesActive: boolean;
}

type StoredVersion = Omit<OpenWorkflow, "takesActive">;

/** Which workflows are stored, which collections they have, and which Agents there are. */
export interface WorkflowDirectory {
  /** What is known now, without asking the store; undefined: `find` has to. */
  known(asked: string): OpenWorkflow | undefined;
  /**
   * Finds a workflow by its name, or without a version the active one, and a retired one if there
   * is no other. Throws a 404, which names those that look like it if the caller may learn that.
   */
  find(asked: string, mayLearnNames: () => boolean): Promise<OpenWorkflow>;
  /** The workflow, without its version, that has a collection; null: there is none of that name. */
  workflowOf(collection: string): Promise<string | null>;
  /**
   * The names, with their versions, of all versions of a workflow that are stored by now; or that
   * one.
   */
  versionsOf(asked: string): Promise<readonly string[]>;
  /**
   * The Agents of steps that none of them may take: never announced, though others have for a
   * while.
   */
  unknownAgents(definition: WorkflowDefinition): Promise<readonly string[]>;
  /**
   * Whether a name without a version means another version than this by now. The store is asked:
   * what it says goes before anything that was refused by this one.
   */
  isOutdated(workflow: OpenWorkflow): Promise<boolean>;
  /** Whether the workflow was retired when the directory was last read. */
  isRetired(name: string): boolean;
  /** Reads them anew: they were just changed. */
  reload(): Promise<void>;
}

type Store = Pick<
  SubmissionStore,
  "findWorkflows" | "findKnownAgents" | "findWorkflow" | "findActiveVersions"
>;

interface DirectoryOptions {
  readonly clock?: Clock;
  /** Compiles the check of an input; one that keeps what it compiled may stand in its place. */
  readonly compile?: (definition: WorkflowDefinition) => TaskInputCheck;
  /** Whether a version that is not stored stands for the active one; not unless said so. */
  readonly takesUnknownVersions?: boolean;
}

/** Bytes of definitions that are kept, with compiled checks: hundreds of usual ones. */
const mostKept = 4 * 1024 * 1024;
/**
 * Milliseconds for which a collection that was not found is not looked for again; and how many are
 * remembered.
 */
const missFor = 1_000;
const mostMisses = 1_000;
/** What is refused is held against the store: so many at a time, for so many milliseconds. */
const askingStore = { max: 200, maxWaiting: { items: 1_000, bytes: 1 }, timeout: 10_000 };
/** Milliseconds in which all Agents of a system that starts announce themselves. */
const startingUp = 60_000;

/**
 * Answers from memory while the store is slow or away, so that what waits for it stays bounded.
 * Which version is active and which is retired decides the store, in the transaction of the task:
 * here is only looked which one it will be.
 */
export function workflowDirectory(store: Store, options: DirectoryOptions = {}): WorkflowDirectory {
  const { clock = systemClock, compile = openTaskInput, takesUnknownVersions = false } = options;
  const meant = (asked: string, workflows: readonly WorkflowRecord[]): Meant | undefined =>
    meantAmong(workflows, asked) ??
    (takesUnknownVersions ? meantAmong(workflows, familyOf(asked)) : undefined);
  const snapshots = snapshotCache(store, clock);
  const opened = boundedMap<string, StoredVersion>(mostKept);
  const misses = recentMisses(clock);
  const activeVersions = activeVersionsIn(store, clock);

  const open = async (name: string): Promise<StoredVersion> => {
    const stored = await snapshots.wait(() => store.findWorkflow(name));
    if (stored === null) throw unusable();
    const { definition } = stored;
    const check = checkOf(definition, compile);
    const checks = { checkSignal: signalChecks(definition), checkForm: formChecks(definition) };
    const workflow = { name, family: familyOf(name), definition, check, ...checks };
    opened.set(name, workflow, JSON.stringify(definition).length);
    return workflow;
  };

  return {
    known(asked) {
      const from = snapshots.current();
      const found = from === null ? undefined : meant(asked, from.workflows);
      const workflow = found && opened.get(found.name);
      return workflow && { ...workflow, takesActive: found.takesActive };
    },
    async find(asked, mayLearnNames) {
      const found = await snapshots.lookUp(({ workflows }) => meant(asked, workflows));
      if (found === undefined) {
        throw unknownWorkflow(asked, mayLearnNames() ? (snapshots.last()?.workflows ?? []) : null);
      }
      return { ...(opened.get(found.name) ?? (await open(found.name))), ...found };
    },
    async workflowOf(collection) {
      if (misses.has(collection)) return null;
      const found = await snapshots.lookUp(({ collections }) => collections.get(collection));
      if (found === undefined) misses.add(collection);
      return found ?? null;
    },
    versionsOf: (asked) => versionsIn(snapshots, asked),
    unknownAgents: (definition) => unknownAgents(snapshots, callsOf(definition)),
    async isOutdated({ name, family, takesActive }) {
      if (!takesActive) return false;
      if (await activeVersions.add(name, 0).result) return false;
      const { workflows } = await snapshots.readAnew();
      return meantAmong(workflows, family)?.name !== name;
    },
    isRetired: (name) => isRetiredIn(snapshots.last()?.workflows ?? [], name),
    async reload() {
      await snapshots.reload();
      misses.clear();
    },
  };
}

/**
 * Asks the store whether versions are active: those that are asked about at the same time in one
 * statement.
 */
const activeVersionsIn = (store: Pick<Store, "findActiveVersions">, clock: Clock) =>
  batchCalls(
    async (names: readonly string[]) => {
      const active = await store.findActiveVersions({ names: [...new Set(names)] });
      return names.map((name) => active.has(name));
    },
    { ...askingStore, clock },
  );

/** The store is asked: what another process has just stored belongs to what is listed. */
async function versionsIn(
  snapshots: ReturnType<typeof snapshotCache>,
  asked: string,
): Promise<readonly string[]> {
  if (familyOf(asked) !== asked) return [asked];
  const { workflows } = await snapshots.readAnew();
  const versions = workflows.filter(({ name }) => familyOf(name) === asked);
  return versions.length === 0 ? [asked] : versions.map(({ name }) => name);
}

const isRetiredIn = (workflows: readonly WorkflowRecord[], asked: string): boolean =>
  workflows.some(({ name, retiredAt }) => name === asked && retiredAt !== null);

/**
 * The Agents of steps that none of their Agents has ever announced itself for. One of a pool
 * suffices.
 */
async function unknownAgents(
  snapshots: ReturnType<typeof snapshotCache>,
  calls: readonly CallDefinition[],
): Promise<readonly string[]> {
  const missing = ({ agents: known, agentsKnownFor }: Snapshot): readonly string[] => {
    if (agentsKnownFor < startingUp) return [];
    const unserved = calls
      .map(agentsOfStep)
      .filter((agents) => !agents.some((one) => known.has(one)));
    return [...new Set(unserved.flat())];
  };
  const before = snapshots.current();
  if (before !== null && missing(before).length === 0) return [];
  // One may have announced itself since.
  return missing(await snapshots.readAnew());
}

/** Collections that were looked for a moment ago, and not found. */
function recentMisses(clock: Pick<Clock, "now">) {
  /** When each was missed, the oldest first. */
  const missed = new Map<string, number>();
  return {
    has: (name: string) => clock.now() - (missed.get(name) ?? Number.NEGATIVE_INFINITY) < missFor,
    add(name: string): void {
      missed.delete(name);
      missed.set(name, clock.now());
      const [oldest] = missed.keys();
      if (missed.size > mostMisses && oldest !== undefined) missed.delete(oldest);
    },
    clear: () => missed.clear(),
  };
}

const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

const newestOf = (versions: readonly WorkflowRecord[]): WorkflowRecord | undefined =>
  versions.toSorted((a, b) => numberOf(b.name) - numberOf(a.name))[0];

interface Meant {
  readonly name: string;
  readonly takesActive: boolean;
}

/**
 * The workflow of that name, or its active version; if there is none, the newest: all are retired.
 */
function meantAmong(workflows: readonly WorkflowRecord[], asked: string): Meant | undefined {
  if (workflows.some(({ name }) => name === asked)) return { name: asked, takesActive: false };
  const active = workflows.find(({ name, isActive }) => isActive && familyOf(name) === asked);
  const found = active ?? newestOf(workflows.filter(({ name }) => familyOf(name) === asked));
  return found && { name: found.name, takesActive: true };
}

const checkOf = (
  definition: WorkflowDefinition,
  compile: NonNullable<DirectoryOptions["compile"]>,
): TaskInputCheck => usable(() => compile(definition));

/** Opens the checks of signals, each when it is first asked for. */
function signalChecks(definition: WorkflowDefinition): OpenWorkflow["checkSignal"] {
  const opened = new Map<string, SignalCheck>();
  return (name) => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    if (!signalsOf(definition).includes(name)) return null;
    const check = usable(() => openSignal(definition, name) ?? refuseUnusable(null));
    opened.set(name, check);
    return check;
  };
}

/** Opens the checks of forms, each when it is first asked for: of steps that there are. */
function formChecks(definition: WorkflowDefinition): OpenWorkflow["checkForm"] {
  const opened = new Map<string, FormCheck>();
  return (step) => {
    const check = opened.get(step) ?? usable(() => openForm(definition, step));
    opened.set(step, check);
    return check;
  };
}

/**
 * Throws a 500 for a schema that cannot be compiled: registering refuses it, so the stored row was
 * changed.
 */
function usable(open: () => TaskInputCheck): TaskInputCheck {
  try {
    const check = open();
    return (value) => {
      const faults = check(value);
      return faults instanceof Promise ? faults.catch(refuseUnusable) : faults;
    };
  } catch {
    throw unusable();
  }
}

function refuseUnusable(error: unknown): never {
  throw error instanceof Fault && error.transient ? error : unusable();
}

export const unusable = () =>
  new Problem(
    500,
    "workflow.unusable",
    "The stored definition of its workflow cannot be used: see holdfast doctor.",
  );

/**
 * The problem of an unknown workflow. `workflows` is null where it is not to be said which there
 * are.
 */
export function unknownWorkflow(
  asked: string,
  workflows: readonly WorkflowRecord[] | null,
): Problem {
  if (workflows === null) {
    return new Problem(404, "workflow.unknown", `There is no workflow ${asked}.`);
  }
  const names = workflows.map(({ name }) => name);
  const like = namesLike(asked, [...new Set([...names.map(familyOf), ...names])]).join(", ");
  const hint = like === "" ? "No workflow is stored yet." : `Did you mean one of these: ${like}?`;
  return new Problem(404, "workflow.unknown", `There is no workflow ${asked}. ${hint}`);
}
