import type { Loss, Untold } from "@holdfast/state-store";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Messages that changed nothing although somebody meant them to. */
export const checkLosses = (losses: readonly Loss[]): readonly Finding[] =>
  orFine(losses.map(describe), "messages.lost", "no message was unreadable or refused of late");

const describe = ({ kind, from, reason, messages, latest }: Loss): Finding => {
  const last = `${messages}, the last at ${latest.toISOString()}`;
  return kind === "dead letter"
    ? wrong(
        "messages.dead",
        `dead letters in ${from} (${reason}): ${last}`,
        "read them in state.dead_letters: somebody sends what this release cannot read",
      )
    : wrong(
        "messages.rejected",
        `replies of ${from} were refused (${reason}): ${last}`,
        "read them in state.rejected_replies: that Agent answers what it was not asked, or as somebody else",
      );
};

/** What people should have been told. */
export const checkNotices = ({ unheard, unsent }: Untold): readonly Finding[] =>
  orFine(
    [
      ...(unheard === 0
        ? []
        : [
            wrong(
              "alerts.unheard",
              `${unheard} of the last alerts were heard by nobody`,
              "bind a queue to the exchange holdfast.events by alert.#, and read state.alerts",
            ),
          ]),
      ...(unsent === 0
        ? []
        : [
            wrong(
              "notices.unsent",
              `${unsent} notices wait to be sent`,
              "look whether Schedulers run, and whether they reach the broker",
            ),
          ]),
    ],
    "alerts.heard",
    "every alert was heard, and no notice waits",
  );
