import type { Loss, RefusedSubmissions, UnsentNotifications } from "@holdfast/state-store";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Messages whose effect was lost: dead letters and refused replies. */
export const checkLosses = (losses: readonly Loss[]): readonly Finding[] =>
  orFine(losses.map(describe), "messages.lost", "no message was unreadable or refused of late");

const describe = ({ kind, from, reason, messages, latest }: Loss): Finding => {
  const last = `${messages}, the last at ${latest.toISOString()}`;
  return kind === "dead letter"
    ? wrong(
        "messages.dead",
        `dead letters in ${from} (${reason}): ${last}`,
        "read them in state.dead_letters: a sender publishes what this release cannot read",
      )
    : wrong(
        "messages.rejected",
        `replies of ${from} were refused (${reason}): ${last}`,
        "read them in state.rejected_replies: that Agent answers requests that it was not sent, or in another Agent's name",
      );
};

/** Submissions that applications enqueued, and that became no tasks. */
export const checkRefusals = (refused: readonly RefusedSubmissions[]): readonly Finding[] =>
  orFine(
    refused.map(({ submitter, code, submissions, latest }) =>
      wrong(
        "inbox.refused",
        `submissions of ${submitter} were refused (${code}): ${submissions}, the last at ${latest}`,
        "read why in state.refusals: that application commits what its workflow does not take; submitTasks of @holdfast/client refuses it before",
      ),
    ),
    "inbox.refused",
    "no submission that an application enqueued was refused of late",
  );

/** Notifications that are unsent, and alerts that no queue received. */
export const checkNotifications = ({ unheard, unsent }: UnsentNotifications): readonly Finding[] =>
  orFine(
    [
      ...(unheard === 0
        ? []
        : [
            wrong(
              "alerts.unheard",
              `${unheard} of the last day's alerts reached no queue`,
              "bind a queue to the exchange holdfast.events by alert.#, and read state.alerts",
            ),
          ]),
      ...(unsent === 0
        ? []
        : [
            wrong(
              "notices.unsent",
              `${unsent} notifications wait to be sent`,
              "look whether Schedulers run, and whether they reach the broker",
            ),
          ]),
    ],
    "alerts.delivered",
    "every alert reached a queue, and no notification waits",
  );
