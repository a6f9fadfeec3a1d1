import type { ClaimedStep } from "@holdfast/state-store";

/** One request on its way, from the publish until its reply or its mark. */
interface Dispatch {
  readonly claim: ClaimedStep;
  confirmedAt: number | null;
}

/** Marking waits so long that the replies of fast Agents come first: most marks are never written. */
const markAfter = 200;

/** The requests of this instance that are not yet marked. Nothing is lost with it: see the relay. */
export function dispatches() {
  const open = new Map<string, Dispatch>();
  const keyOf = ({ taskId, name, attempt }: Pick<ClaimedStep, "taskId" | "name" | "attempt">) =>
    `${taskId} ${name} ${attempt}`;
  return {
    publishing: (claim: ClaimedStep) => open.set(keyOf(claim), { claim, confirmedAt: null }),
    confirmed(claim: ClaimedStep): void {
      const dispatch = open.get(keyOf(claim));
      if (dispatch !== undefined) dispatch.confirmedAt = performance.now();
    },
    forget: (claim: Pick<ClaimedStep, "taskId" | "name" | "attempt">) => open.delete(keyOf(claim)),
    isOpen: (claim: ClaimedStep) => open.has(keyOf(claim)),
    /** Confirmed for a while, and still no reply. */
    unmarked(): readonly ClaimedStep[] {
      const before = performance.now() - markAfter;
      return [...open.values()]
        .filter(({ confirmedAt }) => confirmedAt !== null && confirmedAt < before)
        .map(({ claim }) => claim);
    },
    get size() {
      return open.size;
    },
  };
}

export type Dispatches = ReturnType<typeof dispatches>;
