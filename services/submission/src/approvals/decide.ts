import { type FieldFault, limits, payloadFaultsAt, payloadWords } from "@holdfast/contracts";
import type { ApprovalDecision, FaultCode, Json } from "@holdfast/domain";
import type { DecisionOutcome } from "@holdfast/state-store";
import { isOfAudience, type Principal } from "../access/principal.ts";
import { invalidRequest, Problem } from "../problem.ts";
import type { MakeRoom } from "../room.ts";
import {
  type ApprovalDependencies,
  type FoundStep,
  findStep,
  isExcluded,
  readExcluded,
} from "./approval-step.ts";

/** What a principal says about a step. */
export interface AskedDecision {
  readonly taskId: string;
  readonly step: string;
  readonly decision: ApprovalDecision["decision"];
  readonly reason: string | null;
  /** What was filled in, which may be anything; undefined: nothing. */
  readonly form: unknown;
}

interface Deciding extends ApprovalDependencies {
  /** Wakes the Schedulers: waits may have ended. */
  readonly hint: (due: "waits") => void;
}

/** A decision that was kept. */
export type Counted = Extract<DecisionOutcome, { kind: "counted" }> & {
  readonly taskId: string;
  readonly quorum: number;
};

/** The codes with which decisions are refused, by status. */
export const decisionCodes = {
  400: ["approval.form_invalid"],
  403: ["approval.excluded", "approval.needs_principal", "approval.not_in_audience"],
  404: ["approval.unknown", "task.submission_refused", "task.unknown"],
  409: [
    "approval.decided_already",
    "approval.exclusion_unknown",
    "approval.not_open",
    "approval.over",
  ],
  413: ["request.too_large"],
  500: ["workflow.unusable"],
} as const satisfies Readonly<Record<number, readonly FaultCode[]>>;

/**
 * Keeps what a principal says about a step, by the rules of who may, in their order. Throws a
 * `Problem` for what is refused. Wakes the Schedulers if the step is decided by it.
 */
export async function decide(
  deps: Deciding,
  principal: Principal,
  asked: AskedDecision,
  makeRoom: MakeRoom,
): Promise<Counted> {
  const found = await findStep(deps, asked);
  mustBeOfAudience(principal, found);
  const excluded = await readExcluded(deps, found, makeRoom);
  if (excluded !== null && isExcluded(principal, excluded)) throw isExcludedFrom(found);
  const form = await readForm(asked, found);
  if (excluded === null) throw exclusionUnknown(found);
  const { taskId, definition } = found;
  const { decision, reason } = asked;
  const outcome = await deps.store.recordDecision({
    taskId,
    step: definition.name,
    actor: principal.id,
    actorName: principal.name,
    decision,
    reason,
    form,
    quorum: definition.quorum,
  });
  if (outcome.kind === "refused") throw refused(outcome, found, principal);
  // Once more where it is repeated: the process that kept it first may have ended before its hint.
  if (outcome.isDecided) deps.hint("waits");
  return { ...outcome, taskId, quorum: definition.quorum };
}

/** Throws a 403 for a principal that is not of the audience of a step. */
export function mustBeOfAudience(principal: Principal, { definition }: FoundStep): void {
  const { name, audience } = definition;
  if (isOfAudience(principal, audience)) return;
  throw new Problem(
    403,
    "approval.not_in_audience",
    `${principal.id} is not of the audience ${audience}, which decides about ${name}.`,
  );
}

const isExcludedFrom = ({ definition: { name } }: FoundStep) =>
  new Problem(
    403,
    "approval.excluded",
    `The workflow excludes you from the decision about ${name}: another one of the audience decides.`,
  );

/** The form of a decision, which only an approval has. Throws a 400 for one that is wrong. */
async function readForm(
  { decision, form }: AskedDecision,
  { workflow, definition: { name } }: FoundStep,
): Promise<Json | null> {
  if (decision === "reject") {
    if (form === undefined || form === null) return null;
    throw invalidForm([{ pointer: "", detail: "is for approvals alone" }]);
  }
  const given = form ?? null;
  const faults = payloadFaultsAt(given);
  if (faults.length > 0) throw invalidForm(faults, `The form ${payloadWords(faults)}.`);
  const bytes = Buffer.byteLength(JSON.stringify(given));
  if (bytes > limits.signalBytes) {
    throw new Problem(
      413,
      "request.too_large",
      `The form is ${bytes} bytes long, of at most ${limits.signalBytes}.`,
    );
  }
  const errors = await workflow.checkForm(name)(given);
  if (errors.length > 0) throw invalidForm(errors);
  return given as Json;
}

/** Pointers are into the form. */
const invalidForm = (
  faults: readonly FieldFault[],
  words = "The form failed validation; see errors.",
) => new Problem(400, "approval.form_invalid", words, faults);

/** The answer while it cannot be said who may not decide: values of steps before it are missing. */
function exclusionUnknown({ task, definition: { name } }: FoundStep): Problem {
  const state = task.steps.find((step) => step.name === name)?.processState;
  if (state === undefined || state === "waiting") return notOpen(name);
  if (state !== "awaiting") return over(name, { decisions: [], outcome: null });
  return new Problem(
    409,
    "approval.exclusion_unknown",
    `It is not known who may not decide about ${name}: a value that says so is missing, or is no text, or who submitted the task is unknown.`,
  );
}

const notOpen = (step: string) =>
  new Problem(
    409,
    "approval.not_open",
    `The step ${step} has not begun to wait: it is decided once the steps before it are done.`,
  );

type Refused = Extract<DecisionOutcome, { kind: "refused" }>;

function over(
  step: string,
  { decisions, outcome }: Pick<Refused, "decisions" | "outcome">,
): Problem {
  const how = outcome === null ? "" : `: it is ${outcome}`;
  const ids = decisions.map(({ id }) => id);
  const who = ids.length === 0 ? "" : ` Decisions of: ${ids.join(", ")}.`;
  return new Problem(409, "approval.over", `The step ${step} is over${how}.${who}`, [], {
    outcome,
    decisions: decisions.map(asJson),
  });
}

function refused(outcome: Refused, { definition, task }: FoundStep, { id }: Principal): Problem {
  const { name } = definition;
  const { code, decisions } = outcome;
  switch (code) {
    case "task.unknown":
      // It was there a moment ago, or waits in the inbox.
      return task.steps.length === 0
        ? notOpen(name)
        : new Problem(404, code, `There is no task ${task.taskId}.`);
    case "approval.decided_already": {
      const first = decisions.filter((one) => one.id === id);
      const words = first.map(({ decision, at }) => `“${decision}” at ${at}`).join();
      return new Problem(
        409,
        code,
        `${id} has decided about ${name} before, and otherwise: ${words}. That stands.`,
        [],
        { decisions: first.map(asJson) },
      );
    }
    case "approval.not_open":
      return notOpen(name);
    case "approval.over":
      return over(name, outcome);
  }
}

const asJson = ({ id, name, decision, reason, form, at }: ApprovalDecision): Json => ({
  id,
  name,
  decision,
  reason,
  form,
  at,
});

/** Throws a 422 for a rejection without a reason. */
export function mustHaveReason({ decision, reason }: Pick<AskedDecision, "decision" | "reason">) {
  if (decision === "approve" || reason !== null) return;
  throw invalidRequest(
    [{ pointer: "/reason", detail: "must say why, where the decision is reject" }],
    "body",
  );
}
