const approval = {
  kind: "approval",
  onlyIf: null,
  onFailure: "undo",
  quorum: 1,
  excludesSubmitter: false,
  excludes: [],
  within: 86_400_000,
  remindAfter: null,
  onDeadline: "reject",
  show: {},
} as const;

/**
 * A payment that two of the treasury release, but for who asked for it; and once a signal has come,
 * one of audit.
 */
export const releasing = {
  format: 4 as const,
  name: "releasing.v1",
  inputSchema: {
    type: "object",
    properties: {
      amount: { type: "integer" },
      requestedBy: { type: "string" },
      memo: { type: "string", maxLength: 200_000 },
    },
    required: ["amount", "requestedBy"],
  },
  signals: {
    ready: {
      type: "object",
      properties: { auditor: { type: "string" } },
      required: ["auditor"],
    },
  },
  forms: {
    release: {
      type: "object",
      properties: { costCentre: { type: "string", maxLength: 20 } },
      required: ["costCentre"],
    },
  },
  steps: [
    {
      ...approval,
      name: "release",
      audience: "treasury",
      quorum: 2,
      excludesSubmitter: true,
      excludes: [{ $ref: "/input/requestedBy" }],
      show: { amount: { $ref: "/input/amount" }, memo: { $ref: "/input/memo" } },
      after: [],
    },
    {
      kind: "signal" as const,
      name: "ready",
      signal: "ready",
      within: 86_400_000,
      onDeadline: "fail" as const,
      late: "alert" as const,
      after: [],
      onlyIf: null,
      onFailure: "undo" as const,
    },
    {
      ...approval,
      name: "check",
      audience: "audit",
      excludes: [{ $ref: "/steps/ready/payload/auditor" }],
      after: ["ready"],
    },
  ],
  completeWithin: null,
  output: { $ref: "/steps/release/form/costCentre" },
};

/** A workflow that anyone may submit, and one of the treasury releases. */
export const simple = {
  ...releasing,
  name: "simple.v1",
  signals: {},
  forms: {},
  steps: [{ ...approval, name: "release", audience: "treasury", after: [] }],
  output: null,
};

/** A workflow in which a rejection waits for an operator. */
export const halting = {
  ...simple,
  name: "halting-release.v1",
  steps: simple.steps.map((step) => ({ ...step, onFailure: "halt" as const })),
};
