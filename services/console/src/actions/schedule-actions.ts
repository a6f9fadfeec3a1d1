import { call } from "../api/call.ts";
import type { Action } from "./action.ts";

const acts = {
  pause: {
    verb: "Pause",
    explain: "It fires no more until it is resumed. Its tasks go on.",
    isDangerous: false,
  },
  resume: {
    verb: "Resume",
    explain:
      "It fires at the instants that come from now on. What came while it was paused does not fire.",
    isDangerous: false,
  },
  fire: {
    verb: "Fire now",
    explain:
      "A task is submitted now, also while it is paused or its last task runs. Its calendar stays as it is. Asked again, it submits another task.",
    isDangerous: true,
  },
} as const;

/** Pauses or resumes a schedule, or has it submit a task now. */
export function scheduleAction(act: keyof typeof acts, id: string): Action {
  return {
    ...acts[act],
    title: `${acts[act].verb}: schedule ${id}`,
    calls: [
      {
        target: id,
        request: ({ actor, reason }) =>
          call("post", `/v1/schedules/{id}/${act}`, { path: { id }, body: { actor, reason } }),
      },
    ],
    command: ({ target }) => ["schedules", act, target],
    field: null,
  };
}
