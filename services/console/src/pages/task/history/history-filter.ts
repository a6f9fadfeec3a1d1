import { bulkActions } from "@holdfast/domain";
import type { HistoryEntry } from "../../../api/types.ts";
import { scheduleOf } from "../../schedules/schedule-of.ts";

export const historyFilters = ["all", "failures", "states", "people", "supervisor"] as const;
export type HistoryFilter = (typeof historyFilters)[number];

export const filterWords: Readonly<Record<HistoryFilter, string>> = {
  all: "All",
  failures: "Failures",
  states: "State of the task",
  people: "People",
  supervisor: "Supervisor",
};

export const readHistoryFilter = (text: string | null): HistoryFilter =>
  historyFilters.find((one) => one === text) ?? "all";

const failing: ReadonlySet<string> = new Set(["fail", "retry", "coolDown", "requeue"]);
/** Services sign with their name and a short one of the process. */
const service = /^(submission|scheduler|supervisor|agent|operations)-[0-9a-f]{8}$/;
const byPeople: ReadonlySet<string> = new Set(bulkActions);

export type Actor = "person" | "scheduler" | "supervisor" | "submission" | "other";

/** Who it was: a person signs as they like, so the action tells as well. */
export function actorOf({ actor, action }: HistoryEntry): Actor {
  const [, name] = service.exec(actor) ?? [];
  if (action === "submit" && scheduleOf(actor) !== null) return "other";
  if (name === "scheduler" || name === "supervisor" || name === "submission") return name;
  return byPeople.has(action) || name === undefined ? "person" : "other";
}

const matches: Readonly<Record<HistoryFilter, (entry: HistoryEntry) => boolean>> = {
  all: () => true,
  failures: ({ action, toState }) => failing.has(action) || toState === "error",
  states: ({ step }) => step === null,
  people: (entry) => actorOf(entry) === "person",
  supervisor: (entry) => actorOf(entry) === "supervisor",
};

/** Newest first. */
export const filterHistory = (
  items: readonly HistoryEntry[],
  filter: HistoryFilter,
): readonly HistoryEntry[] => items.filter(matches[filter]).toReversed();
