import { scheduleIdPattern } from "@holdfast/contracts";
import type { OperationsStore, StoredSchedule } from "@holdfast/state-store";
import type { onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { Problem } from "../problem.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";

export interface ScheduleDependencies {
  readonly store: Pick<
    OperationsStore,
    | "deleteSchedule"
    | "findFires"
    | "findSchedules"
    | "fireByHand"
    | "pauseSchedule"
    | "putSchedule"
    | "resumeSchedule"
  >;
  readonly directory: Pick<WorkflowDirectory, "find" | "isRetired">;
  readonly onRequest: onRequestAsyncHookHandler;
}

export const ScheduleParams = Type.Object({
  id: Type.String({
    maxLength: 100,
    pattern: scheduleIdPattern,
    description:
      "Its id: up to 100 letters, digits, dots, dashes and underscores, a letter or digit first.",
  }),
});
export interface BySchedule {
  readonly Params: Static<typeof ScheduleParams>;
}

/** The schedule of that id. Throws a 404 where there is none. */
export async function findSchedule(
  store: Pick<OperationsStore, "findSchedules">,
  id: string,
): Promise<StoredSchedule> {
  const [found] = (await store.findSchedules({ id, after: null, most: 1 })).items;
  if (found === undefined) throw unknownSchedule(id);
  return found;
}

export const unknownSchedule = (id: string) =>
  new Problem(
    404,
    "schedule.unknown",
    `There is no schedule ${id}. GET /v1/schedules lists those that there are.`,
  );
