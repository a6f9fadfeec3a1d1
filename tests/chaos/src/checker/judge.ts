import type { Evidence } from "./evidence.ts";
import { indexEvidence } from "./indexed-evidence.ts";
import { judgeAttempts } from "./judge-attempts.ts";
import { doubles, judgeEffects } from "./judge-effects.ts";
import { judgeEndings } from "./judge-endings.ts";
import { judgeHealth } from "./judge-health.ts";
import { judgeIdentity } from "./judge-identity.ts";
import { judgeLeftovers } from "./judge-leftovers.ts";
import { judgeMoves } from "./judge-moves.ts";
import { judgeReports } from "./judge-reports.ts";
import { classifyOrders, judgeSubmissions } from "./judge-submissions.ts";
import { measureRecovery, type Recovery } from "./measure-recovery.ts";
import { vacuityOf } from "./vacuity.ts";
import type { Violation } from "./violation.ts";

const judges = [
  judgeSubmissions,
  judgeEndings,
  judgeEffects,
  judgeAttempts,
  judgeMoves,
  judgeReports,
  judgeLeftovers,
  judgeHealth,
  judgeIdentity,
];

/** What a run came to. */
export interface Verdict {
  /** Nothing was wrong, and the run was hard enough to show it. */
  readonly valid: boolean;
  /** Orders that were accepted. */
  readonly orders: number;
  readonly attempted: number;
  readonly faults: number;
  readonly classes: number;
  readonly lost: number;
  /** Orders by message that went down with a wiped broker. */
  readonly forfeited: number;
  /** Orders that were never acknowledged, and yet are there. */
  readonly recovered: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly processed: number;
  readonly undone: number;
  readonly staleReplies: number;
  readonly violations: readonly Violation[];
  /** Why the run proves nothing. */
  readonly vacuous: readonly string[];
  readonly recovery: Readonly<Record<string, Recovery>>;
}

/** Judges a run by what its witnesses say. Pure: the same evidence, the same verdict. */
export function judge(evidence: Evidence): Verdict {
  const book = indexEvidence(evidence);
  const violations = judges.flatMap((one) => one(book));
  const vacuous = vacuityOf(book);
  const { attempted, acknowledged, lost, forfeited, recovered } = classifyOrders(book);
  const inState = (state: string) => book.tasks.filter((task) => task.state === state).length;
  const [processed, undone] = [inState("processed"), inState("undone")];
  const fired = book.faults.filter(({ error }) => error === null);
  return {
    valid: violations.length === 0 && vacuous.length === 0,
    orders: acknowledged,
    attempted,
    faults: fired.length,
    classes: new Set(fired.map((fault) => fault.class)).size,
    lost,
    forfeited,
    recovered,
    doubled: [...book.ledgerOf].flatMap(([taskId, own]) => doubles({ taskId }, own)).length,
    stuck: book.tasks.length - processed - undone,
    processed,
    undone,
    staleReplies: book.rejectedReplies.length,
    violations,
    vacuous,
    recovery: measureRecovery(book.faults, book.tasks),
  };
}
