import type { ClientEvent } from "@holdfast/load";
import type { Evidence, LedgerEntry, StepRow, StoreEvent } from "./evidence.ts";

/** Two orders for tests, of a run in which everything was right. */
export const processed = "00000000-0000-7000-8000-000000000001";
export const undone = "00000000-0000-7000-8000-000000000002";

const start = 1_000_000;
let clock = 0;
let lastId = 0;
const tick = (): number => {
  clock += 10;
  return start + clock;
};

const nextId = (): number => {
  lastId += 1;
  return lastId;
};

type Move = Pick<StoreEvent, "step" | "action" | "from" | "to"> & Partial<StoreEvent>;

function history(taskId: string, moves: readonly Move[]): readonly StoreEvent[] {
  const facts = { taskId, attempt: null, actor: "scheduler-1", reason: null };
  return moves.map((move) => ({ ...facts, id: nextId(), at: tick(), ...move }));
}

const submitted = (steps: readonly string[]): readonly Move[] => [
  { step: null, action: "submit", from: null, to: "pending" },
  ...steps.map((step): Move => ({ step, action: "plan", from: "waiting", to: "pending" })),
  { step: null, action: "summarise", from: "pending", to: "processing" },
];

const claim = (step: string, attempt = 1): Move => ({
  step,
  action: "claim",
  from: "pending",
  to: "processing",
  attempt,
});
const complete = (step: string): Move => ({
  step,
  action: "complete",
  from: "processing",
  to: "processed",
  attempt: 1,
});

const calls = ["reserve", "charge", "ship", "confirm"];
const resources = ["reservations", "charges", "shipments", "confirmations"];

const client = (taskId: string, kind: ClientEvent["kind"]): readonly ClientEvent[] =>
  (["invoke", "ok"] as const).map((type) => ({
    at: tick(),
    type,
    key: `key-${taskId}`,
    via: "http",
    kind,
    taskId: type === "ok" ? taskId : null,
    tookMs: 10,
  }));

const entry = (taskId: string, place: number, kind: LedgerEntry["kind"]): LedgerEntry => ({
  seq: nextId(),
  at: tick(),
  kind,
  partner: "partner",
  resource: resources[place] ?? "",
  key: `${taskId}:${calls[place]}:do`,
  answer: { id: calls[place] },
});

const step = (taskId: string, name: string, changes: Partial<StepRow> = {}): StepRow => ({
  taskId,
  name,
  kind: "call",
  state: "processed",
  attempt: 1,
  failureCount: 0,
  output: { id: name },
  ...changes,
});

const undoneMoves = (): readonly Move[] => [
  ...submitted(["reserve", "charge"]),
  claim("reserve"),
  complete("reserve"),
  claim("charge"),
  {
    step: "charge",
    action: "fail",
    from: "processing",
    to: "error",
    attempt: 1,
    reason: "payments.declined",
  },
  { step: null, action: "summarise", from: "processing", to: "undoing" },
  { step: "reserve:undo", action: "plan", from: "waiting", to: "pending" },
  claim("reserve:undo"),
  complete("reserve:undo"),
  { step: null, action: "summarise", from: "undoing", to: "undone" },
];

const processedMoves = (): readonly Move[] => [
  ...submitted(calls),
  ...calls.flatMap((name) => [claim(name), complete(name)]),
  { step: null, action: "summarise", from: "processing", to: "processed" },
];

const taskRows = (): Evidence["tasks"] => [
  {
    taskId: processed,
    key: `key-${processed}`,
    goal: "do",
    state: "processed",
    createdAt: start,
    finishedAt: start + 400,
  },
  {
    taskId: undone,
    key: `key-${undone}`,
    goal: "undo",
    state: "undone",
    createdAt: start,
    finishedAt: start + 500,
  },
];

const frozenAgent: Evidence["faults"][number] = {
  class: "agent-frozen",
  target: "agent-1",
  from: start,
  healedAt: start + 50,
  recoverFrom: start + 50,
  error: null,
};

const observations = (): Evidence["observations"] =>
  ["pending", "processing", "processed"].map((state, index) => ({
    at: tick(),
    observer: "poller-1",
    taskId: processed,
    state,
    version: index + 1,
  }));

const statuses = (): Evidence["statuses"] =>
  [
    ["received", "pending"],
    ["progress", "processing"],
    ["processed", "processed"],
  ].map(([event = "", state = ""], index) => ({
    at: tick(),
    taskId: processed,
    sequence: index + 1,
    event,
    state,
  }));

/** Everything as it should be. */
export function cleanEvidence(): Evidence {
  clock = 0;
  lastId = 0;
  return {
    plan: {
      seed: 1,
      orders: 2,
      faults: 1,
      classes: ["agent-frozen"],
      failureThreshold: 5,
      recoveryMs: 2_000,
      maxConnections: 50,
    },
    history: [...client(processed, "good"), ...client(undone, "declined")],
    faults: [frozenAgent],
    tasks: taskRows(),
    steps: [
      ...calls.map((name) => step(processed, name)),
      step(undone, "reserve"),
      step(undone, "charge", { state: "error", failureCount: 1, output: null }),
      step(undone, "reserve:undo", { kind: "undo", output: null }),
    ],
    events: [...history(processed, processedMoves()), ...history(undone, undoneMoves())],
    rejectedReplies: [{ taskId: processed, step: "ship", attempt: 1, reason: "not_processing" }],
    deadLetters: [{ queue: "dead.replies", messageId: "poison-1" }],
    poison: ["poison-1"],
    alerts: [],
    ledger: [
      ...calls.map((_, place) => entry(processed, place, "applied")),
      entry(undone, 0, "applied"),
      entry(undone, 0, "undone"),
    ],
    observations: observations(),
    statuses: statuses(),
    statusQueueSeen: [],
    queues: [{ queue: "scheduler.replies", messages: 0 }],
    samples: [{ at: start + 9_000, overdueMs: 100, idleInTransactionMs: 0, connections: 20 }],
  };
}

/** Changes the rows that fit, and leaves the others. */
export function alter<Row extends object>(
  rows: readonly Row[],
  fits: (row: Row) => boolean,
  changes: Partial<Row>,
): readonly Row[] {
  return rows.map((row) => (fits(row) ? { ...row, ...changes } : row));
}
