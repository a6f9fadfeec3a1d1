import { curlLine, shellWord } from "../../actions/action.ts";
import { type Call, call } from "../../api/call.ts";
import type { Approval, Decision } from "../../api/types.ts";
import { formatJson } from "../../parts/format.ts";
import type { Style } from "../../parts/state-styles.ts";

/** What one of the audience says. */
export interface Said {
  readonly decision: Decision["decision"];
  /** Why; empty: not said. */
  readonly reason: string;
  /** What was filled in; undefined: nothing is asked for. */
  readonly form: unknown;
}

type Place = Pick<Approval, "taskId" | "step">;

/** The request with which one approves or rejects a step. */
export const decisionCall = ({ taskId, step }: Place, { decision, reason, form }: Said): Call =>
  call("post", "/v1/tasks/{id}/steps/{step}/decision", {
    path: { id: taskId, step },
    body: {
      decision,
      ...(reason === "" ? {} : { reason }),
      ...(decision === "reject" || form === undefined ? {} : { form }),
    },
  });

/** Lines that send the same from a terminal: for curl, and as a command. */
export function decisionLines(place: Place, said: Said, origin: string): DecisionLines {
  const { decision, reason, form } = said;
  const words = [
    "holdfast",
    "approvals",
    "decide",
    place.taskId,
    place.step,
    `--${decision}`,
    ...(decision === "reject" || form === undefined ? [] : ["--form", JSON.stringify(form)]),
    ...(reason === "" ? [] : ["--reason", reason]),
  ];
  return {
    curl: curlLine(origin, decisionCall(place, said)),
    holdfast: words.map(shellWord).join(" "),
  };
}

type DecisionLines = Readonly<Record<"curl" | "holdfast", string>>;

/** How many have approved. */
export const approvalsIn = ({ decisions }: Pick<Approval, "decisions">): number =>
  decisions.filter(({ decision }) => decision === "approve").length;

/** What is shown of a task to those who decide, in a line. */
export function showLine(show: unknown): string {
  const entries = flatEntries(show);
  if (entries === null) return formatJson(show).replaceAll(/\s+/g, " ");
  return entries.map(([name, value]) => `${name}: ${value}`).join(" · ");
}

/** The names and values of an object that has no other within; null: it is none. */
export function flatEntries(value: unknown): readonly (readonly [string, string])[] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  return entries.every(([, one]) => typeof one !== "object" || one === null)
    ? entries.map(([name, one]) => [name, String(one)] as const)
    : null;
}

type ApprovalState = NonNullable<Approval["outcome"]> | "waiting" | "open";

/** How a step stands that people decide. */
export const stateOf = ({ outcome, openedAt }: Pick<Approval, "outcome" | "openedAt">) =>
  outcome ?? (openedAt === null ? "waiting" : "open");

export const approvalStyles: Readonly<Record<ApprovalState, Style>> = {
  waiting: { word: "Not begun", tone: "quiet", icon: "wait" },
  open: { word: "Open", tone: "busy", icon: "run" },
  approved: { word: "Approved", tone: "good", icon: "done" },
  rejected: { word: "Rejected", tone: "bad", icon: "cross" },
  expired: { word: "Expired", tone: "warn", icon: "late" },
  cancelled: { word: "Cancelled", tone: "quiet", icon: "stop" },
};

export const decisionStyles: Readonly<Record<Decision["decision"], Style>> = {
  approve: { word: "Approved", tone: "good", icon: "done" },
  reject: { word: "Rejected", tone: "bad", icon: "cross" },
};

/** What follows once the time of a step has passed. */
export const atDeadline: Readonly<Record<Approval["onDeadline"], string>> = {
  approve: "then it counts as approved",
  reject: "then it counts as rejected",
  fail: "then the step fails",
};
