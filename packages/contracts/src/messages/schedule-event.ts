import { type Static, Type } from "typebox";
import { Instant, Name, TaskId } from "../limits/parts.ts";
import { scheduleIdPattern } from "../schedule/schedule.ts";
import { defineMessage } from "./message.ts";

const ScheduleEventSchema = Type.Object({
  /** What became of the instant. */
  event: Type.Enum([
    /** Its task is submitted. */
    "schedule.fired",
    /** It came while nothing could fire it, and does not fire by itself any more. */
    "schedule.missed",
    /** The last task of the schedule had not ended. */
    "schedule.skipped",
  ]),
  /** The id of the schedule. */
  schedule: Type.String({ maxLength: 100, pattern: scheduleIdPattern }),
  /** The workflow as the schedule names it, with its version or without. */
  workflow: Name,
  /** The instant for which it is: ISO 8601. */
  instant: Instant,
  /** The task of the instant; null: it has none. */
  taskId: Type.Union([TaskId, Type.Null()]),
  /** ISO 8601, on the state store's clock. */
  at: Instant,
});

/**
 * Says what became of an instant of a schedule. A schedule and an instant fire once; one that was
 * missed or skipped may fire later, by hand.
 */
export type ScheduleEvent = Static<typeof ScheduleEventSchema>;
export const ScheduleEvent = defineMessage("schedule.event.v1", ScheduleEventSchema);
