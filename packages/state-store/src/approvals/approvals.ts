import {
  type ApprovalDecision,
  type ApprovalOutcome,
  type ApprovalPlan,
  canonicalJson,
  decidedBy,
  type FaultCode,
  type Json,
} from "@holdfast/domain";
import { composed, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { inTransaction, withRetries } from "../postgres/transaction.ts";

/** What one of the audience says about a step, which has been found to be one who may. */
export interface NewDecision {
  readonly taskId: string;
  readonly step: string;
  /** The id of the principal. */
  readonly actor: string;
  /** The name of the principal, for people. */
  readonly actorName: string;
  readonly decision: ApprovalDecision["decision"];
  readonly reason: string | null;
  readonly form: Json | null;
  /** How many must approve. */
  readonly quorum: ApprovalPlan["quorum"];
}

/** What became of a decision. `replayed`: it was said before, in the same words. */
export type DecisionOutcome =
  | {
      readonly kind: "counted";
      readonly at: string;
      readonly replayed: boolean;
      /** How many have approved by now. */
      readonly approvals: number;
      /** Whether the step is decided by it. */
      readonly isDecided: boolean;
    }
  | {
      readonly kind: "refused";
      readonly code: Extract<
        FaultCode,
        "task.unknown" | "approval.decided_already" | "approval.not_open" | "approval.over"
      >;
      readonly decisions: readonly ApprovalDecision[];
      readonly outcome: ApprovalOutcome | null;
    };

/** A step that people decide, as it stands. */
interface LockedStep {
  readonly state: string | null;
  readonly faultCode: string | null;
  readonly isOver: boolean | null;
}

const lock = query("lock-approval", rowsOf<LockedStep>());
const save = query("save-decision", rowsOf<{ at: number }>());
const select = query("find-decisions", rowsOf<DecisionRow>());

/**
 * Keeps what one of the audience says about a step, each once, under the lock of the task. What
 * decides the step makes its wait due: a Scheduler ends it. Safe to repeat.
 */
export const recordDecision = composed(
  ({ pool }, said: NewDecision): Promise<DecisionOutcome> =>
    withRetries(() =>
      inTransaction(pool, async (client) => {
        const outcome = await record(client, said);
        return { sent: [], result: () => outcome };
      }),
    ),
);

async function record(db: Database, said: NewDecision): Promise<DecisionOutcome> {
  const { taskId, step, actor, decision, quorum } = said;
  const [found] = await lock(db, { taskId, step });
  const decisions = await readDecisions(db, [{ taskId, step }]);
  const refused = refusalOf(said, found, decisions);
  if (refused !== null) {
    const outcome = found === undefined ? null : approvalOutcome(found, quorum, decisions);
    return { kind: "refused", code: refused, decisions, outcome };
  }
  const earlier = decisions.find(({ id }) => id === actor);
  if (earlier !== undefined) {
    return { kind: "counted", at: earlier.at, replayed: true, ...countOf(quorum, decisions) };
  }
  const counted = countOf(quorum, [...decisions, { id: actor, decision }]);
  const [saved] = await save(db, {
    ...said,
    name: said.actorName,
    form: said.form === null ? null : JSON.stringify(said.form),
    decides: counted.isDecided,
  });
  return { kind: "counted", at: new Date(saved!.at).toISOString(), replayed: false, ...counted };
}

/** Why a decision is not kept; null: it is, or it stands already. */
function refusalOf(
  said: NewDecision,
  found: LockedStep | undefined,
  decisions: readonly ApprovalDecision[],
): Extract<DecisionOutcome, { kind: "refused" }>["code"] | null {
  if (found === undefined || found.state === null) return "task.unknown";
  const earlier = decisions.find(({ id }) => id === said.actor);
  if (earlier !== undefined) return isSame(said, earlier) ? null : "approval.decided_already";
  if (found.state === "waiting") return "approval.not_open";
  return found.state === "awaiting" && found.isOver === false ? null : "approval.over";
}

const isSame = (said: NewDecision, earlier: ApprovalDecision): boolean =>
  said.decision === earlier.decision &&
  said.reason === earlier.reason &&
  canonicalJson(said.form) === canonicalJson(earlier.form);

const countOf = (
  quorum: number,
  decisions: readonly Pick<ApprovalDecision, "id" | "decision">[],
) => ({
  approvals: decisions.filter(({ decision }) => decision === "approve").length,
  isDecided: decidedBy({ quorum }, decisions) !== null,
});

/** How a step has ended, or is about to: a Scheduler ends what is over. */
export function approvalOutcome(
  { state, faultCode, isOver }: LockedStep,
  quorum: number,
  decisions: readonly Pick<ApprovalDecision, "id" | "decision">[],
): ApprovalOutcome | null {
  if (state === "processed") return "approved";
  if (state === "error") return faultCode === "approval.rejected" ? "rejected" : "expired";
  if (state === "cancelled" || state === "skipped") return "cancelled";
  if (state !== "awaiting" || isOver !== true) return null;
  const decided = decidedBy({ quorum }, decisions);
  if (decided === null) return "expired";
  return decided === "approval" ? "approved" : "rejected";
}

interface DecisionRow extends Omit<ApprovalDecision, "at"> {
  readonly taskId: string;
  readonly step: string;
  readonly at: number;
}

/** What one of the audience has said, and about which step. */
export interface DecisionOfStep extends ApprovalDecision {
  readonly taskId: string;
  readonly step: string;
}

/** Reads what people have said about steps, or about all steps of a task where none is named. */
export async function readDecisions(
  db: Database,
  asked: readonly { readonly taskId: string; readonly step: string | null }[],
): Promise<readonly DecisionOfStep[]> {
  const rows = await select(db, columns(asked, { taskIds: "taskId", steps: "step" }));
  return rows.map(({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() }));
}

/** What people have said about a step, or all steps of a task, in the order in which they did. */
export const findDecisions = repeatable(
  (db, asked: { readonly taskId: string; readonly step: string | null }) =>
    readDecisions(db, [asked]),
);

/** A step that people are to decide. */
export interface OpenApproval {
  readonly taskId: string;
  readonly step: string;
  readonly workflow: string;
  readonly businessKey: string | null;
  /** Who submitted the task; null: unknown. */
  readonly submittedBy: string | null;
  readonly audience: string;
  /** ISO 8601, as all instants. */
  readonly openedAt: string;
  /** When it ends by itself; null: it does not. */
  readonly deadline: string | null;
  readonly isPaused: boolean;
  /** What people have said so far. */
  readonly decisions: readonly ApprovalDecision[];
}

export interface ApprovalQuery {
  /** The audiences that are to decide; null: all. */
  readonly audiences: readonly string[] | null;
  /** One task alone; null: any. */
  readonly taskId: string | null;
  /** Leaves out what this principal has decided; null: nothing. */
  readonly undecidedBy: string | null;
  /**
   * What the page begins after: `next` of the one before it, the id of a task, `/` and a step;
   * null: it is the first.
   */
  readonly after: string | null;
  readonly most: number;
}

export interface ApprovalPage {
  readonly items: readonly OpenApproval[];
  /** What the next page begins after; null: this is the last one. */
  readonly next: string | null;
}

interface ApprovalRow extends Omit<OpenApproval, "openedAt" | "deadline" | "decisions"> {
  readonly openedAt: number;
  readonly deadline: number | null;
}

const selectApprovals = query("find-approvals", rowsOf<ApprovalRow, "audience">());

/** A page of the steps that people are to decide, those of the oldest task first. */
export const findApprovals = repeatable(
  async (db, { after, most, taskId, ...asked }: ApprovalQuery): Promise<ApprovalPage> => {
    const rows = await selectApprovals(db, {
      ...asked,
      ...cursorIn(after),
      ofTask: taskId,
      most: most + 1,
    });
    const page = rows.slice(0, most);
    const decisions = Map.groupBy(
      page.length === 0 ? [] : await readDecisions(db, page),
      ({ taskId: task, step }) => `${task} ${step}`,
    );
    const last = page.at(-1);
    return {
      items: page.map(({ openedAt, deadline, ...row }) => ({
        ...row,
        openedAt: new Date(openedAt).toISOString(),
        deadline: deadline === null ? null : new Date(deadline).toISOString(),
        decisions: decisions.get(`${row.taskId} ${row.step}`) ?? [],
      })),
      next: rows.length > most && last !== undefined ? cursorOf(last) : null,
    };
  },
);

const cursorOf = ({ taskId, step }: ApprovalRow): string => `${taskId}/${step}`;

/** What a cursor says: no id has the sign between its parts. */
function cursorIn(after: string | null) {
  if (after === null) return { afterTask: null, afterStep: null };
  const [afterTask = "", ...step] = after.split("/");
  return { afterTask, afterStep: step.join("/") };
}
