import { durationText } from "@holdfast/domain";
import type { StandstillFacts } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Whether every Scheduler records what it reads. */
export const checkConsumers = (standstills: readonly StandstillFacts[]): readonly Finding[] =>
  orFine(
    standstills.map(({ instance, queue, messages, failures, forMs, error }) =>
      wrong(
        "consumers.failing",
        `${instance} cannot record ${count(messages, "message")} of ${queue}: ${count(failures, "failure")} in ${durationText(forMs)}, ${error}`,
        "mend what the error says; the messages stay unacknowledged and are recorded then by themselves. A restart moves them to another Scheduler and counts towards the delivery limit",
      ),
    ),
    "consumers.failing",
    "every Scheduler records what it reads",
  );
