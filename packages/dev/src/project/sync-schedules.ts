import { relative } from "node:path";
import { familyOf } from "@holdfast/domain";
import type { StateStore } from "@holdfast/state-store";
import type { DefinedSchedule } from "@holdfast/workflow/check";
import type { LoadedFile } from "./loader.ts";
import { namedIn } from "./locate-error.ts";

/** A schedule as it is stored now, and the file that has it. */
export interface AppliedSchedule extends DefinedSchedule {
  readonly file: string;
}

/** Keeps the stored schedules in step with the files. */
export interface ScheduleSync {
  /**
   * Stores the schedules that changed, once their workflows are stored, and deletes those that no
   * file has any more. Resolves to what was stored anew.
   */
  apply(loaded: readonly LoadedFile[]): Promise<readonly AppliedSchedule[]>;
  /** What is stored now. */
  readonly schedules: readonly AppliedSchedule[];
}

interface ScheduleSyncOptions {
  readonly store: Pick<
    StateStore,
    "putSchedule" | "deleteSchedule" | "findSchedules" | "findWorkflows"
  >;
  readonly folder: string;
  /** What the store remembers of who stored them: only those are ever deleted here. */
  readonly storedBy: string;
  readonly say: (line: string) => void;
}

/** Opens the sync. What a file held last stays in force while the file cannot be loaded. */
export function openScheduleSync(options: ScheduleSyncOptions): ScheduleSync {
  const { store, storedBy } = options;
  let applied: readonly AppliedSchedule[] = [];
  return {
    get schedules() {
      return applied;
    },
    async apply(loaded) {
      const found = loaded.flatMap((file) => schedulesOf(file, applied, options));
      const wanted = await usable(eachIdOnce(found, options), options);
      const stored: AppliedSchedule[] = [];
      for (const one of wanted) {
        const { id, definition: schedule } = one;
        if (await store.putSchedule({ id, schedule, actor: storedBy })) stored.push(one);
      }
      await deleteOthers(wanted, options);
      applied = wanted;
      return stored;
    },
  };
}

/** The schedules of a file, and of what cannot be loaded or is refused those of before. */
function schedulesOf(
  loaded: LoadedFile,
  applied: readonly AppliedSchedule[],
  { say }: ScheduleSyncOptions,
): readonly AppliedSchedule[] {
  const { file } = loaded;
  const before = applied.filter((one) => one.file === file);
  if ("error" in loaded) return before;
  const found = loaded.schedules.map((one) => ({ ...one, file }));
  const kept = loaded.refused.flatMap(({ kind, name, error }) => {
    if (kind !== "schedule") return [];
    const isDefined = found.some(({ id }) => id === name);
    const last = isDefined ? [] : before.filter(({ id }) => id === name);
    const stays = last.length === 0 ? "" : " The last good schedule stays.";
    say(`${error.place}: ${namedIn(error.message, name)}${stays}`);
    return last;
  });
  return [...found, ...kept];
}

function eachIdOnce(
  schedules: readonly AppliedSchedule[],
  { folder, say }: ScheduleSyncOptions,
): readonly AppliedSchedule[] {
  const firsts = new Map(schedules.toReversed().map((one) => [one.id, one] as const));
  return schedules.filter((one) => {
    const first = firsts.get(one.id);
    if (first === undefined || first === one) return true;
    say(
      `${relative(folder, one.file)}: ${relative(folder, first.file)} has a schedule ${one.id}, too.`,
    );
    return false;
  });
}

/** Keeps schedules whose workflow takes tasks: each instant of another would be refused. */
async function usable(
  schedules: readonly AppliedSchedule[],
  { store, folder, say }: ScheduleSyncOptions,
): Promise<readonly AppliedSchedule[]> {
  if (schedules.length === 0) return [];
  const stored = await store.findWorkflows();
  const open = new Set(
    stored
      .filter(({ retiredAt }) => retiredAt === null)
      .flatMap(({ name }) => [name, familyOf(name)]),
  );
  return schedules.filter(({ id, definition: { workflow }, file }) => {
    if (open.has(workflow)) return true;
    say(
      `${relative(folder, file)}: no workflow ${workflow} is stored, so the schedule ${id} is not: export it from a file in workflows/.`,
    );
    return false;
  });
}

const pageSize = 100;

/** Deletes what the same project stored, and no file has any more. */
async function deleteOthers(
  wanted: readonly AppliedSchedule[],
  { store, storedBy }: ScheduleSyncOptions,
): Promise<void> {
  const ids = new Set(wanted.map(({ id }) => id));
  for (let after: string | null = null; ; ) {
    const page = await store.findSchedules({ id: null, after, most: pageSize });
    for (const { id, changedBy } of page.items) {
      if (changedBy === storedBy && !ids.has(id)) await store.deleteSchedule({ id });
    }
    if (page.next === null) return;
    after = page.next;
  }
}
