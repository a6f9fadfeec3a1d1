import { legalTaskTransitions, stepTransitions } from "@holdfast/domain";
import type { StoreEvent } from "./evidence.ts";
import type { IndexedEvidence } from "./indexed-evidence.ts";
import type { Violation } from "./violation.ts";

const stepMoves: ReadonlySet<string> = new Set(
  Object.entries(stepTransitions).flatMap(([action, moves]) =>
    Object.entries(moves).map(([from, to]) => `${action} ${from} ${to}`),
  ),
);
const taskMoves: ReadonlySet<string> = new Set(
  Object.entries(legalTaskTransitions).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`)),
);

/** I8: the history is an unbroken path through the state machines, and leads to what is stored. */
export function judgeMoves(book: IndexedEvidence): readonly Violation[] {
  return book.tasks.flatMap(({ taskId, state }) => {
    const events = book.eventsOf.get(taskId) ?? [];
    const byStep = Map.groupBy(events, ({ step }) => step);
    const stored = new Map<string | null, string>([[null, state]]);
    for (const step of book.stepsOf.get(taskId) ?? []) stored.set(step.name, step.state);
    return [...byStep].flatMap(([name, moves]) =>
      faultsOf(moves, stored.get(name)).map((what): Violation => {
        return { invariant: "I8", taskId, what: `${name ?? "the task"}: ${what}` };
      }),
    );
  });
}

function faultsOf(moves: readonly StoreEvent[], stored: string | undefined): readonly string[] {
  const illegal = moves.filter((move) => !isLegal(move));
  const broken = moves.filter(({ from }, index) => {
    const before = moves[index - 1];
    return before !== undefined && before.to !== from;
  });
  const last = moves.at(-1)?.to;
  return [
    ...illegal.map(({ action, from, to }) => `${action} from ${from} to ${to} is not legal`),
    ...broken.map(({ action, from }) => `${action} from ${from}, where it was not`),
    ...(last === stored ? [] : [`it was last ${last}, and is stored as ${stored}`]),
  ];
}

function isLegal({ step, action, from, to }: StoreEvent): boolean {
  if (step !== null) return stepMoves.has(`${action} ${from} ${to}`);
  return from === null ? action === "submit" : taskMoves.has(`${from} ${to}`);
}
