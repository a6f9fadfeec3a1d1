import { durationText, type Instant } from "@holdfast/domain";
import type { LateWaits } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Whether the waits of steps end in time. `now`: the store's clock. */
export const checkWaits = (found: readonly LateWaits[], now: Instant): readonly Finding[] =>
  orFine(
    found.map((waits) => (waits.kind === "late" ? late(waits, now) : held(waits, now))),
    "waits.late",
    "no wait of a step is late",
  );

const first = ({ taskId, step, deadline }: LateWaits, now: Instant): string =>
  `step ${step} of ${taskId}, whose wait was over ${durationText(now - deadline.getTime())} ago`;

const late = (found: LateWaits, now: Instant): Finding =>
  wrong(
    "waits.late",
    `${count(found.waits, "wait")} should have ended a minute ago or more, first ${first(found, now)}`,
    "look whether a Scheduler runs; if one does, its log says waits postponed: the task is locked by a long transaction, or its rows cannot be used (holdfast verify, and holdfast why says it of the task)",
  );

const held = (found: LateWaits, now: Instant): Finding =>
  wrong(
    "waits.held",
    `the clock of Postgres jumped ahead, so ${count(found.waits, "wait")} that became due by it ${found.waits === 1 ? "is" : "are"} held for another ${durationText(found.dueAt.getTime() - now)} at most, first ${first(found, now)}`,
    "set the clock of its host right by NTP before that; to end a wait at once: POST /v1/tasks/:id/steps/:step/fire",
  );
