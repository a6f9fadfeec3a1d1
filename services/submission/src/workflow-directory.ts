import { compileTaskInput, type InputCheck } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { boundedMap } from "@holdfast/runtime";
import { familyOf, type StateStore, type WorkflowRecord } from "@holdfast/state-store";
import { type Snapshot, snapshotCache } from "./directory-snapshot.ts";
import { namesLike } from "./names-like.ts";
import { type Noun, taskNoun } from "./noun.ts";
import { Problem } from "./problem.ts";

/** A workflow that tasks can be submitted to. */
export interface OpenWorkflow {
  readonly name: string;
  readonly family: string;
  readonly definition: WorkflowDefinition;
  /** What is wrong with an input, by the workflow's own schema. */
  readonly check: InputCheck;
}

/** Which workflows are stored, which nouns they have, and which Agents there are. */
export interface WorkflowDirectory {
  /** What is known now, without asking the store; undefined: `find` has to. */
  known(asked: string): OpenWorkflow | undefined;
  /**
   * By its name, or without a version the newest that is not retired. Throws a 404, which names those that look like it
   * if the caller may learn that.
   */
  find(asked: string, mayLearnNames: () => boolean): Promise<OpenWorkflow>;
  /** The noun of a collection; null: there is none of that name. */
  noun(collection: string): Promise<Noun | null>;
  /** What the tasks of a workflow are called: by its first collection, if it has any. */
  nounOf(family: string): Noun;
  /** The names, with their versions, of all versions of a workflow; or that one. */
  versionsOf(asked: string): Promise<readonly string[]>;
  /** Agents of the workflow that have never announced themselves, though others have for a while. */
  unknownAgents(definition: WorkflowDefinition): Promise<readonly string[]>;
  /** Whether the workflow was retired when the directory was last read. */
  isRetired(name: string): boolean;
  /** Reads them anew: they were just changed. */
  reload(): Promise<void>;
}

type Store = Pick<StateStore, "findWorkflows" | "findKnownAgents" | "findWorkflow">;

interface DirectoryOptions {
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
  /** Whether a version that is not stored stands for the newest one; not unless said so. */
  readonly takesUnknownVersions?: boolean;
}

/** Bytes of definitions that are kept, with compiled checks: hundreds of usual ones. */
const mostKept = 4 * 1024 * 1024;
/** Milliseconds for which a collection that was not found is not looked for again; and how many are remembered. */
const missFor = 1_000;
const mostMisses = 1_000;
/** Milliseconds in which all Agents of a system that starts announce themselves. */
const startingUp = 60_000;

/**
 * Answers from memory while the store is slow or away, so that what waits for it stays bounded. Whether a
 * workflow is retired decides the store, in the transaction of the task; here is only looked which one is meant.
 */
export function workflowDirectory(
  store: Store,
  { clock = () => performance.now(), takesUnknownVersions = false }: DirectoryOptions = {},
): WorkflowDirectory {
  const meant = (asked: string, workflows: readonly WorkflowRecord[]): string | undefined =>
    meantAmong(workflows, asked) ??
    (takesUnknownVersions ? meantAmong(workflows, familyOf(asked)) : undefined);
  const snapshots = snapshotCache(store, clock);
  const opened = boundedMap<string, OpenWorkflow>(mostKept);
  const misses = recentMisses(clock);

  const open = async (name: string): Promise<OpenWorkflow> => {
    const stored = await snapshots.wait(() => store.findWorkflow(name));
    if (stored === null) throw unusable();
    const { definition } = stored;
    const workflow = { name, family: familyOf(name), definition, check: checkOf(definition) };
    opened.set(name, workflow, JSON.stringify(definition).length);
    return workflow;
  };

  return {
    known(asked) {
      const from = snapshots.current();
      const name = from === null ? undefined : meant(asked, from.workflows);
      return name === undefined ? undefined : opened.get(name);
    },
    async find(asked, mayLearnNames) {
      const name = await snapshots.lookUp(({ workflows }) => meant(asked, workflows));
      if (name !== undefined) return opened.get(name) ?? open(name);
      throw unknownWorkflow(asked, mayLearnNames() ? (snapshots.last()?.workflows ?? []) : null);
    },
    async noun(collection) {
      if (misses.has(collection)) return null;
      const noun = await snapshots.lookUp(({ nouns }) => nouns.get(collection));
      if (noun === undefined) misses.add(collection);
      return noun ?? null;
    },
    nounOf: (family) =>
      [...(snapshots.last()?.nouns.values() ?? [])].find((noun) => noun.family === family) ??
      taskNoun,
    async versionsOf(asked) {
      const isMeant = ({ name }: WorkflowRecord) => name === asked || familyOf(name) === asked;
      const { workflows } = snapshots.current() ?? (await snapshots.read());
      const names = workflows.filter(isMeant).map(({ name }) => name);
      return names.length > 0 ? names : [asked];
    },
    unknownAgents: ({ steps }) => unknownAgents(snapshots, steps),
    isRetired: (name) =>
      snapshots
        .last()
        ?.workflows.some((workflow) => workflow.name === name && workflow.retiredAt !== null) ??
      false,
    async reload() {
      await snapshots.reload();
      misses.clear();
    },
  };
}

async function unknownAgents(
  snapshots: ReturnType<typeof snapshotCache>,
  steps: WorkflowDefinition["steps"],
): Promise<readonly string[]> {
  const agents = [...new Set(steps.map(({ agent }) => agent))];
  const missing = ({ agents: known, agentsKnownFor }: Snapshot): readonly string[] =>
    agentsKnownFor < startingUp ? [] : agents.filter((agent) => !known.has(agent));
  const before = snapshots.current();
  if (before !== null && missing(before).length === 0) return [];
  // One may have announced itself since.
  return missing(await snapshots.read());
}

/** Collections that were looked for a moment ago, and not found. */
function recentMisses(clock: () => number) {
  /** When each was missed, the oldest first. */
  const missed = new Map<string, number>();
  return {
    has: (name: string) => clock() - (missed.get(name) ?? Number.NEGATIVE_INFINITY) < missFor,
    add(name: string): void {
      missed.delete(name);
      missed.set(name, clock());
      const [oldest] = missed.keys();
      if (missed.size > mostMisses && oldest !== undefined) missed.delete(oldest);
    },
    clear: () => missed.clear(),
  };
}

const versionOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

/** The workflow of that name, or its newest version: one that takes tasks, if there is any. */
function meantAmong(workflows: readonly WorkflowRecord[], asked: string): string | undefined {
  if (workflows.some(({ name }) => name === asked)) return asked;
  const versions = workflows
    .filter(({ name }) => familyOf(name) === asked)
    .toSorted(
      (a, b) =>
        Number(b.byOperators) - Number(a.byOperators) || versionOf(b.name) - versionOf(a.name),
    );
  return (versions.find(({ retiredAt }) => retiredAt === null) ?? versions[0])?.name;
}

/** Throws a 500 for a schema that cannot be compiled: registering refuses it, so the stored row was changed. */
function checkOf(definition: WorkflowDefinition): InputCheck {
  try {
    return compileTaskInput(definition);
  } catch {
    throw unusable();
  }
}

export const unusable = () =>
  new Problem(
    500,
    "workflow.unusable",
    "The stored definition of its workflow cannot be used: see holdfast doctor.",
  );

/** Null: which workflows there are is not to be said. */
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
