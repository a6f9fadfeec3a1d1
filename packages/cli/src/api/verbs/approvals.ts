import type { Approval, DecisionCounted, OpenApproval } from "@holdfast/client";
import { summaryOf } from "../operation.ts";
import { own } from "../own-options.ts";
import { table } from "../print.ts";
import { requestOptions } from "../request-options.ts";
import { UsageError } from "../usage-error.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const listed = requestOptions("listApprovals", { audience: { value: "NAME" }, mine: {} });
const decided = requestOptions("decideApproval", {
  reason: { short: "r", value: "WORDS" },
  form: { short: "f" },
});

const listVerb: Verb = {
  name: "approvals list",
  operations: ["listApprovals"],
  operands: [],
  summary: summaryOf("listApprovals"),
  details: `A key or a token of one's own lists what its holder may decide; the operators' token lists all.`,
  options: listed.options,
  examples: ["approvals list --mine", "approvals list --audience treasury -o jsonl"],
  async run(invocation) {
    const { approvals } = invocation.client();
    const { audience, mine } = await listed.read(invocation);
    const filter = { mine: mine === "true", ...(audience === undefined ? {} : { audience }) };
    const value: OpenApproval[] = [];
    for (let after: string | null = null; ; ) {
      const { items, next } = await approvals.list(filter, { after });
      value.push(...items);
      if (next === null) break;
      after = next;
    }
    const note = value.length === 0 ? "No step waits for a decision." : undefined;
    return { value, text: tableOf(value, invocation.at), note };
  },
};

const columns = [
  "taskId",
  "step",
  "workflow",
  "key",
  "audience",
  "approved",
  "openedAt",
  "deadline",
];

const tableOf = (approvals: readonly OpenApproval[], at: Invocation["at"]): string =>
  table(
    approvals.map((one) => ({ ...one, approved: countOf(one) })),
    columns,
    at,
  );

/** How many have approved, of how many must. */
const countOf = ({ decisions, quorum }: Pick<OpenApproval, "decisions" | "quorum">): string =>
  `${decisions.filter(({ decision }) => decision === "approve").length} of ${quorum}`;

const showVerb: Verb = {
  name: "approvals show",
  operations: ["getApproval"],
  operands: ["<id>", "<step>"],
  summary: summaryOf("getApproval"),
  options: {},
  examples: ["approvals show 01a1fd8d-d928-77c8-96cb-353aaba1757f release"],
  async run({ operands: [id = "", step = ""], client, at }) {
    return shown(await client().approvals.get(id, step), at);
  },
};

function shown(value: Approval, at: Invocation["at"]): Outcome {
  const {
    step,
    workflow,
    audience,
    show,
    form,
    decisions,
    deadline,
    onDeadline,
    omitted = [],
  } = value;
  const ends = deadline === null ? "" : `, ${at(deadline)}: ${atDeadline[onDeadline]}`;
  const head = `${step} of ${workflow}: ${stateOf(value)}, ${countOf(value)} of ${audience} approved${ends}`;
  const parts = [
    head,
    `shown: ${JSON.stringify(show, null, 2)}`,
    ...omitted.map((part) => `${part} is too large for this answer`),
    ...(form === null ? [] : [`form, by its JSON Schema: ${JSON.stringify(form, null, 2)}`]),
    ...(decisions.length === 0
      ? []
      : [`\n${table(decisions, ["id", "name", "decision", "at", "reason", "form"], at)}`]),
  ];
  return { value, text: parts.join("\n") };
}

const stateOf = ({ outcome, openedAt }: Pick<Approval, "outcome" | "openedAt">): string =>
  outcome ?? (openedAt === null ? "not begun" : "open");

const atDeadline = {
  approve: "then it counts as approved",
  reject: "then it counts as rejected",
  fail: "then the step fails",
} as const;

const decideVerb: Verb = {
  name: "approvals decide",
  operations: ["decideApproval"],
  operands: ["<id>", "<step>"],
  summary: summaryOf("decideApproval"),
  details: `It needs a key or a token of one's own: the operators' token says of no one who decides. One who rejects decides
alone, and says why. A decision cannot be taken back; the same once more is the same.`,
  options: { ...own("approve", "reject"), ...decided.options },
  examples: [
    `approvals decide 01a1fd8d-d928-77c8-96cb-353aaba1757f release --approve --form '{"costCentre": "C-17"}'`,
    `approvals decide 01a1fd8d-d928-77c8-96cb-353aaba1757f release --reject --reason "the account is new"`,
  ],
  exits: "0 it is decided or counted; 2 wrong use; 3 no such task or step; 5 refused",
  async run(invocation) {
    const {
      operands: [id = "", step = ""],
      client,
    } = invocation;
    const decision = decisionOf(invocation);
    const given = await decided.read(invocation);
    if (decision === "reject" && given.reason === undefined) {
      throw new UsageError("Say --reason: one who rejects says why");
    }
    return ofDecision(await client().approvals.decide(id, step, { decision, ...given }));
  },
};

/** What the command line says of the step. Throws a `UsageError` for neither, and for both. */
function decisionOf({ flag }: Invocation): "approve" | "reject" {
  const isApproved = flag("approve");
  if (isApproved === flag("reject")) throw new UsageError("Say either --approve or --reject");
  return isApproved ? "approve" : "reject";
}

/** What came of a decision. */
function ofDecision(value: DecisionCounted): Outcome {
  const { taskId, step, decision, approvals, quorum, decided: isDecided, replayed } = value;
  const what = decision === "approve" ? "approved" : "rejected";
  const rest = isDecided ? "it is decided" : `${approvals} of ${quorum} have approved it`;
  const text = `${step} of ${taskId} is ${what}${replayed ? ", as before" : ""}: ${rest}.`;
  return { value, text };
}

/** What people decide. */
export const approvalVerbs: readonly Verb[] = [listVerb, showVerb, decideVerb];
