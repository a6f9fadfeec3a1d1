/** Bodies as they may be, for the document: of a trip that is booked. */

const input = { traveller: "Ada Lovelace", city: "Lyon", nights: 2 };
const id = "0198c0de-7a10-7000-8000-3f1d2a5b6c7d";

const submission = {
  workflow: "book-trip",
  input,
  key: "trip-2026-0042",
  labels: { region: "eu" },
  priority: "normal",
};

const act = { actor: "ann", reason: "the hotel's system is up again" };

const task = {
  id,
  workflow: "book-trip.v1",
  state: "halted",
  goal: "do",
  version: 7,
  priority: "normal",
  fairness: null,
  faultCode: "hotels.unavailable",
  key: "trip-2026-0042",
  labels: { region: "eu" },
  notBefore: null,
  createdAt: "2026-11-28T09:00:00.000Z",
  updatedAt: "2026-11-28T09:00:31.000Z",
  finishedAt: null,
  paused: null,
  submittedBy: "checkout",
  traceId: null,
  result: null,
  steps: [
    {
      name: "hotel",
      kind: "call",
      agent: "hotels",
      processState: "error",
      attempt: 3,
      failureCount: 3,
      requeueCount: 0,
      lockedBy: null,
      completeBy: null,
      startedAt: null,
      heartbeatAt: null,
      progress: null,
      notBefore: null,
      awaiting: null,
      faultCode: "hotels.unavailable",
      faultDetail: "The hotel's system does not answer.",
      output: null,
    },
  ],
  input,
};

const filter = { workflow: "book-trip", state: "halted", faultCode: "hotels.unavailable" };

const bulk = {
  id: "0198c0de-9b20-7000-8000-1a2b3c4d5e6f",
  action: "resubmit",
  step: null,
  patch: null,
  filter,
  actor: "operator:ann",
  reason: act.reason,
  at: "2026-11-28T09:05:00.000Z",
  state: "running",
  matched: 240,
  waiting: 180,
  done: 60,
  refused: 1,
  verified: { succeeded: 52, failedAgain: 0, running: 7 },
  canary: 10,
  rate: 10,
  stoppedBy: null,
  stopReason: null,
  endedAt: null,
};

const problem = {
  type: "/docs/faults/task.invalid",
  title: "Unprocessable Content",
  status: 422,
  code: "task.invalid",
  detail: "The input failed validation; see errors.",
  retryable: false,
  requestId: "0a6c8f0e-7f5b-4f3e-9c0b-7f1f0a4d2c11",
  errors: [{ pointer: "/nights", detail: "must be integer" }],
};

const signal = { payload: { paymentId: "P-2207", amount: 240 } };
const signalId = "evt_2207";

const signalByKey = {
  workflow: "book-trip",
  businessKey: "trip-2026-0042",
  ...signal,
  id: signalId,
  holdFor: "7d",
};

const signalAccepted = {
  id: signalId,
  name: "paid",
  taskId: id,
  at: "2026-11-28T09:00:12.000Z",
  replayed: false,
};

const decision = {
  decision: "approve",
  reason: "the budget has room",
  form: { costCentre: "C-12" },
};

const approvalOf = { taskId: id, step: "release" };

const openApproval = {
  ...approvalOf,
  workflow: "book-trip.v1",
  key: "trip-2026-0042",
  submittedBy: "checkout",
  audience: "treasury",
  quorum: 2,
  openedAt: "2026-11-28T09:00:12.000Z",
  deadline: "2026-11-30T09:00:12.000Z",
  onDeadline: "reject",
  paused: false,
  mayDecide: true,
  decisions: [],
  show: { amount: 2400 },
  form: {
    type: "object",
    properties: { costCentre: { type: "string", maxLength: 20, description: "Who pays." } },
  },
};

const decisionCounted = {
  ...approvalOf,
  decision: "approve",
  id: "ada@example.com",
  at: "2026-11-28T09:20:00.000Z",
  approvals: 1,
  quorum: 2,
  decided: false,
  replayed: false,
};

export const examples = {
  submission,
  accepted: { id },
  signal,
  signalByKey,
  signalAccepted,
  decision,
  openApproval,
  decisionCounted,
  task,
  result: { id, state: "processed", result: { booking: "H-1815" }, faultCode: null },
  problem,
  newBulk: { action: "resubmit", filter, canary: 10, ...act },
  bulk,
} as const;
