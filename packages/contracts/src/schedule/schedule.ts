import {
  catchUps,
  type Instant,
  type Json,
  type Lookup,
  overlaps,
  printablePattern,
  resolveTemplate,
  type ScheduleTerms,
  type Template,
} from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { checkTemplateOf } from "../definition/check-template.ts";
import { limits } from "../limits/limits.ts";
import { Payload } from "../limits/parts.ts";
import { payloadFaultsAt } from "../limits/payload-faults.ts";
import { Submission } from "../messages/submission.ts";
import { type CronTimes, faultOfTimes } from "./calendar.ts";
import { zoneClock } from "./zone-clock.ts";

/** Ids of schedules. */
export const scheduleIdPattern = "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$";

const hour = 3_600_000;

/** A schedule as it is asked for: submits a task at each instant of a calendar. */
export const Schedule = Type.Object(
  {
    workflow: Submission.properties.workflow,
    cron: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: printablePattern,
      description:
        'When it fires: minute, hour, day of the month, month, day of the week, such as "30 2 * * *".',
    }),
    zone: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: printablePattern,
      description: "The time zone that this is meant in, by its IANA name: Europe/Budapest, UTC.",
    }),
    input: Type.Unsafe<Json>({
      ...Payload,
      description:
        'The input of each task, a template: {"$ref": "/schedule/at"} is the instant for which it is, and /schedule/date, /schedule/time and /schedule/id are its parts in the zone.',
    }),
    overlap: Type.Optional(
      Type.Enum([...overlaps], {
        description:
          "What happens while the last task has not ended: the instant is skipped, waits for its end, or fires all the same. skip unless said otherwise.",
      }),
    ),
    catchUp: Type.Optional(
      Type.Enum([...catchUps], {
        description:
          "Which instants fire that came while nothing could fire them: the last, none that is a minute late, or all. last unless said otherwise.",
      }),
    ),
    jitter: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: hour,
        description:
          "Milliseconds after an instant within which it fires, the same for the same instant; 0 unless said otherwise.",
      }),
    ),
    pauseAfterFailures: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()], {
        description: "How many tasks in a row may fail before it is paused; null: any number.",
      }),
    ),
    priority: Submission.properties.priority,
    labels: Submission.properties.labels,
  },
  { additionalProperties: false, description: "When tasks are submitted, and which." },
);
export type Schedule = Static<typeof Schedule>;

/** A schedule, with what it does not say. */
export interface WholeSchedule extends CronTimes, ScheduleTerms {
  readonly workflow: string;
  readonly input: Template;
  readonly priority?: Schedule["priority"];
  readonly labels?: Schedule["labels"];
}

export const wholeSchedule = (asked: Schedule): WholeSchedule => ({
  overlap: "skip",
  catchUp: "last",
  jitter: 0,
  ...asked,
  pauseAfterFailures: asked.pauseAfterFailures ?? null,
});

/** What the input of a schedule may refer to, and what each is, for people. */
const scheduleRefs = {
  "/schedule/at": "the instant, as RFC 3339 writes it",
  "/schedule/date": "its date in the zone, such as 2026-11-29",
  "/schedule/time": "its time in the zone, such as 02:30",
  "/schedule/id": "the id of the schedule",
} as const;

/** What is wrong with a schedule that has the form of one, by itself: places as JSON pointers. */
export function scheduleFaults(
  { cron, zone, input, jitter }: WholeSchedule,
  now: Instant,
): readonly { readonly pointer: string; readonly detail: string }[] {
  const times = faultOfTimes({ cron, zone }, now);
  return [
    ...(times === null ? [] : [{ pointer: `/${times.field}`, detail: times.detail }]),
    ...inputFaults(input),
    ...(jitter > hour ? [{ pointer: "/jitter", detail: "must be at most an hour" }] : []),
  ];
}

/** What is wrong with an input as a template, whatever its workflow asks for. */
function inputFaults(input: Template): ReturnType<typeof scheduleFaults> {
  const unstorable = payloadFaultsAt(input);
  if (unstorable.length > 0) {
    return unstorable.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail }));
  }
  const bytes = Buffer.byteLength(JSON.stringify(input));
  const size =
    bytes > limits.scheduleBytes
      ? [`is ${bytes} bytes long, of at most ${limits.scheduleBytes}`]
      : [];
  return [...size, ...checkTemplateOf(input, refFault)].map((detail) => ({
    pointer: "/input",
    detail,
  }));
}

const refFault = (ref: unknown): string | null =>
  typeof ref === "string" && Object.hasOwn(scheduleRefs, ref)
    ? null
    : `refers to ${JSON.stringify(ref)}, and can refer to ${Object.keys(scheduleRefs).join(", ")} alone`;

/** The input of the task of an instant. */
export const inputAt = (
  { input, zone }: Pick<WholeSchedule, "input" | "zone">,
  id: string,
  instant: Instant,
): Json => resolveTemplate(input, partsOf(id, zone, instant));

function partsOf(id: string, zone: string, instant: Instant): Lookup {
  const shown = new Date(zoneClock(zone).at(instant)).toISOString();
  const values: Readonly<Record<keyof typeof scheduleRefs, string>> = {
    "/schedule/at": new Date(instant).toISOString(),
    "/schedule/date": shown.slice(0, 10),
    "/schedule/time": shown.slice(11, 16),
    "/schedule/id": id,
  };
  return (pointer) => values[pointer as keyof typeof scheduleRefs];
}
