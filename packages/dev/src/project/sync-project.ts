import { relative } from "node:path";
import { Fault, familyOf, type WorkflowDefinition } from "@holdfast/domain";
import { type StateStore } from "@holdfast/state-store";
import type { AgentQueues } from "./agent-queues.ts";
import { openVersions, storeVersion } from "./apply-workflows.ts";
import { findGaps, type KnownOperations } from "./find-gaps.ts";
import type { WorkflowLoader } from "./load-workflows.ts";
import type { LoadedFile } from "./loader.ts";
import { namedIn } from "./locate-error.ts";
import { type AppliedSchedule, openScheduleSync } from "./sync-schedules.ts";

/** A workflow as it is stored now. */
interface AppliedWorkflow {
  readonly family: string;
  /** Its name with the version that tasks get. */
  readonly name: string;
  readonly definition: WorkflowDefinition;
  readonly file: string;
}

/** What files hold: workflows, and the schedules that submit their tasks. */
interface Applied {
  readonly workflows: readonly AppliedWorkflow[];
  readonly schedules: readonly AppliedSchedule[];
}

/**
 * Keeps the stored workflows and schedules in step with the files. Its `workflows` and `schedules`
 * are what is applied now, the workflow that changed last first.
 */
export interface WorkflowSync extends Applied {
  /** Loads the files and applies what changed. Resolves to what changed. */
  apply(files: readonly string[]): Promise<Applied>;
  /** What no Agent can do, for each workflow; called once the Agents are there. */
  sayGaps(known: KnownOperations): void;
}

type Store = Pick<
  StateStore,
  | "registerWorkflow"
  | "findWorkflows"
  | "retireWorkflow"
  | "activateWorkflow"
  | "putSchedule"
  | "deleteSchedule"
  | "findSchedules"
>;

interface SyncOptions {
  readonly store: Store;
  readonly loader: Pick<WorkflowLoader, "load">;
  readonly queues: AgentQueues;
  readonly folder: string;
  /** What the store remembers of who stored them: only those are ever retired here. */
  readonly storedBy: string;
  readonly say: (line: string) => void;
}

const keptOf = (last: readonly AppliedWorkflow[]): string =>
  last.length === 0 ? "" : " The last good definition stays.";

/**
 * Says which definitions of a file are refused. Returns what stays of the workflows: what was
 * applied last.
 */
const keepRefused = (
  { definitions, refused }: Extract<LoadedFile, { readonly refused: unknown }>,
  before: readonly AppliedWorkflow[],
  say: (line: string) => void,
): readonly AppliedWorkflow[] =>
  refused.flatMap(({ kind, name, error }) => {
    if (kind === "Agent") {
      say(`${error.place}: ${namedIn(error.message, `Agent ${name}`)}`);
      return [];
    }
    // The sync of the schedules says it.
    if (kind === "schedule") return [];
    const family = familyOf(name);
    const isDefined = definitions.some((one) => familyOf(one.name) === family);
    const last = isDefined ? [] : before.filter((one) => one.family === family);
    say(`${error.place}: ${namedIn(error.message, name)}${keptOf(last)}`);
    return last;
  });

const holdsNothing = ({
  definitions,
  schedules,
  refused,
}: Extract<LoadedFile, { readonly refused: unknown }>): boolean =>
  definitions.length + schedules.length + refused.length === 0;

/** Opens the sync. What a file held last stays in force while the file cannot be loaded. */
export function openWorkflowSync(options: SyncOptions): WorkflowSync {
  const { store, loader, queues, folder, storedBy, say } = options;
  const scheduleSync = openScheduleSync(options);
  let applied: readonly AppliedWorkflow[] = [];

  const applyFile = async (loaded: LoadedFile): Promise<readonly AppliedWorkflow[]> => {
    const before = applied.filter(({ file }) => file === loaded.file);
    const place = relative(folder, loaded.file);
    if ("error" in loaded) {
      say(`${loaded.error.place}: ${loaded.error.message}${keptOf(before)}`);
      return before;
    }
    if (holdsNothing(loaded)) say(`${place} exports no workflow.`);
    const found = [...keepRefused(loaded, before, say)];
    for (const definition of loaded.definitions) {
      const family = familyOf(definition.name);
      const elsewhere = applied.find((one) => one.family === family && one.file !== loaded.file);
      if (elsewhere !== undefined) {
        say(`${place}: ${relative(folder, elsewhere.file)} has a workflow ${family}, too.`);
        continue;
      }
      try {
        const name = await storeVersion(store, definition, storedBy);
        found.push({ family, name, definition, file: loaded.file });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        say(`${place}: ${error.message}.`);
        found.push(...before.filter((one) => one.family === family));
      }
    }
    return found;
  };

  return {
    get workflows() {
      return applied;
    },
    get schedules() {
      return scheduleSync.schedules;
    },
    async apply(files) {
      const loaded = await loader.load(files);
      const next = (await Promise.all(loaded.map(applyFile))).flat();
      await queues.declare(next.map(({ definition }) => definition));
      const isNew = ({ name }: AppliedWorkflow) => !applied.some((one) => one.name === name);
      const changed = next.filter(isNew);
      const names = next.map(({ name }) => name);
      await openVersions(store, { names, storedBy });
      applied = [...changed, ...next.filter((one) => !isNew(one))];
      return { workflows: changed, schedules: await scheduleSync.apply(loaded) };
    },
    sayGaps(known) {
      for (const { family, definition } of applied) {
        for (const gap of findGaps(definition, known)) say(`${family}: ${gap}`);
      }
    },
  };
}
