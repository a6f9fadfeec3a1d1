import { type ApprovalDefinition, ContractFault, type Template } from "@holdfast/domain";
import type { Conditional } from "./conditions.ts";
import { type Duration, toLimit, toMilliseconds } from "./duration.ts";
import type { Ref as Later } from "./later.ts";
import { templateOf } from "./ref.ts";
import type { InputOf, Schema } from "./schema.ts";
import type { StepOptions } from "./step-options.ts";
import { toTemplate } from "./to-template.ts";

/** What follows if people do not decide in time. */
export type AtDeadline = ApprovalDefinition["onDeadline"];

/** Who may not decide: who submitted the task, or the principal whose id a value is. */
export type Excluded = "submitter" | Later<string>;

export interface ApproveOptions<
  Form extends Schema | undefined = Schema | undefined,
  Deadline extends AtDeadline = AtDeadline,
  Only extends Conditional | undefined = Conditional | undefined,
> extends Pick<StepOptions<unknown, Only>, "after" | "onlyIf"> {
  /** The principals who may decide, by the name that `approves` has in `ACCESS_FILE`. */
  readonly audience: string;
  /** How many of them must approve, 1 to 20: 1 unless said. One who rejects decides alone. */
  readonly quorum?: number;
  /** Who may not decide, though of the audience: up to ten values, and who submitted the task. */
  readonly not?: Excluded | readonly Excluded[];
  /** Checks, and types, what each fills in who approves. Nothing unless said. */
  readonly form?: Form;
  /** How long they have, up to a hundred years, or for ever. */
  readonly within: Duration | "for-ever";
  /** How long until they are reminded, again and again while it is undecided: never unless said. */
  readonly remindAfter?: Duration;
  /**
   * What follows if they do not decide within that time: it counts as approved, as rejected
   * (`approval.rejected`), or the step has failed (`wait.expired`).
   */
  readonly onDeadline: Deadline;
  /** What they see: values of the input and of earlier steps. Nothing unless said. */
  readonly show?: unknown;
  /**
   * What follows once it has failed, as by a rejection: undo the task (the default), or wait for an
   * operator.
   */
  readonly onFailure?: "undo" | "halt";
}

/** What a step returns that people approved. */
export interface EndedApproval<Form extends Schema | undefined, Deadline extends AtDeadline> {
  readonly decision: "approved";
  /** Whether enough of them approved, or their time was over and that counts as approved. */
  readonly fired: "approval" | "deadline";
  /** The instant at which it ended, as RFC 3339 writes it. */
  readonly at: string;
  /** Who approved, the first one first: fewer than the quorum where their time was over. */
  readonly by: readonly Approver[];
  /** What the last one who approved filled in; null: nothing. */
  readonly form: Form extends Schema
    ? Deadline extends "approve"
      ? InputOf<Form> | null
      : InputOf<Form>
    : null;
}

/** One of those who approved a step. */
export interface Approver {
  /** The id of the principal, as `ACCESS_FILE` or a token says it. */
  readonly id: string;
  readonly name: string;
  /** The instant at which they approved, as RFC 3339 writes it. */
  readonly at: string;
  readonly reason: string | null;
}

/**
 * Writes down a step that people decide. Throws a `ContractFault` (`workflow.invalid`) for what no
 * definition can say.
 */
export function toApproval(
  placed: Pick<ApprovalDefinition, "name" | "after" | "onlyIf">,
  options: ApproveOptions,
): ApprovalDefinition {
  const { audience, quorum = 1, not = [], within, remindAfter, onDeadline } = options;
  const excluded: readonly Excluded[] = Array.isArray(not) ? not : [not];
  return {
    kind: "approval",
    ...placed,
    audience,
    quorum,
    excludesSubmitter: excluded.includes("submitter"),
    excludes: excluded.filter((one) => one !== "submitter").map(idIn),
    within: toLimit(within, "within"),
    remindAfter: remindAfter === undefined ? null : toMilliseconds(remindAfter, "remindAfter"),
    onDeadline,
    show: toTemplate(options.show ?? {}),
    onFailure: options.onFailure ?? "undo",
  };
}

/** The place of an id. One that is written down would mean that person for all time. */
function idIn(value: Later<string>): Template {
  const template = templateOf(value);
  if (template !== null) return template;
  throw new ContractFault(
    "workflow.invalid",
    `not contains ${JSON.stringify(value)}: give it "submitter", or the place of an id, such as order.requester`,
  );
}
