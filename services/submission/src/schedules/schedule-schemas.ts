import { Schedule } from "@holdfast/contracts";
import { catchUps, fireOutcomes, overlaps } from "@holdfast/domain";
import { Type } from "typebox";
import { ref } from "../api/describe.ts";
import { examples } from "../api/examples.ts";
import {
  count,
  flag,
  instant,
  json,
  named,
  next,
  nullable,
  page,
  text,
} from "../api/schema-parts.ts";

const {
  input: _input,
  overlap: _overlap,
  catchUp: _catchUp,
  jitter: _jitter,
  ...properties
} = Schedule.properties;

const listedDefinition = {
  ...properties,
  overlap: Type.Enum([...overlaps], {
    description: "What happens at an instant while the last task has not ended.",
  }),
  catchUp: Type.Enum([...catchUps], {
    description: "Which instants fire that came while nothing could fire them.",
  }),
  jitter: count("Milliseconds after an instant within which it fires."),
};

const definition = {
  ...listedDefinition,
  input: json("The input of each task, a template."),
};

/** A schedule, with as much of its definition. */
const stored = <T extends Record<string, Type.TSchema>>(shown: T) => ({
  id: text("Its id."),
  definition: Type.Object(shown, {
    description: "What it was stored with, and what it did not say. It can be stored again.",
  }),
  version: count("Rises with each change of the definition."),
  next: nullable(instant("The next instant; null: it is paused, or there is none.")),
  buffered: nullable(instant("The instant that waits for the end of the last task; null: none.")),
  lastTask: nullable(text("The id of the last task that it fired; null: none.")),
  failures: count("Tasks in a row that have failed."),
  skips: count("Instants in a row that were skipped, since the last task had not ended."),
  paused: nullable(
    Type.Object(
      {
        at: instant("Since when."),
        by: text("Who paused it: an operator, or a process of Holdfast."),
        reason: nullable(
          text("Why; `schedule.failing` where Holdfast did, since its tasks failed."),
        ),
      },
      { description: "Null: it fires." },
    ),
  ),
  createdAt: instant("When it was stored first."),
  changedAt: instant("When its definition changed last."),
  changedBy: text("Who stored that."),
});

const instantOfFire = { instant: instant("The instant for which it is.") };

/** Schedules, their instants and what became of those. */
export const scheduleSchemas: readonly Type.TSchema[] = [
  named(
    "StoredSchedule",
    "A schedule and where it stands.",
    stored(definition),
    examples.storedSchedule,
  ),
  named(
    "ListedSchedule",
    "A schedule in a list, without the input of its tasks.",
    stored(listedDefinition),
  ),
  page("Schedules", ref("ListedSchedule"), "By their ids."),
  named(
    "ScheduleInstants",
    "The instants of a schedule that come next.",
    {
      zone: text("The time zone of the schedule."),
      paused: flag("Whether the schedule is paused: then none of them fires."),
      items: Type.Array(
        Type.Object({
          instant: instant("The instant."),
          local: text("The same as clocks of the zone show it, with their offset."),
        }),
        { description: "The earliest first." },
      ),
      next,
    },
    examples.scheduleInstants,
  ),
  named(
    "ScheduleFire",
    "What became of an instant.",
    {
      ...instantOfFire,
      outcome: Type.Enum([...fireOutcomes], {
        description:
          "`fired`: its task was submitted; `missed`: it came while nothing could fire it; `skipped`: the last task had not ended; `buffered`: it waits for that.",
      }),
      taskId: nullable(text("The id of its task; null: it has none.")),
      actor: nullable(text("Who had it fire by hand; null: its calendar did.")),
      reason: nullable(text("Why that was done by hand.")),
      at: instant("When that was written down."),
    },
    examples.scheduleFire,
  ),
  page("ScheduleFires", ref("ScheduleFire"), "The latest instant first."),
  named("ScheduleFired", "A task that was submitted by hand.", {
    ...instantOfFire,
    taskId: text("The id of the task. It is there within a moment."),
  }),
  named("ScheduleBackfilled", "Tasks that were submitted for instants of the past.", {
    fired: Type.Array(ref("ScheduleFired"), { description: "The earliest instant first." }),
    firedBefore: count("Instants that had fired before: they stay as they are."),
  }),
];
