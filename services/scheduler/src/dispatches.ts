import type { Clock } from "@holdfast/runtime";
import type { ClaimedStep } from "@holdfast/state-store";

/** One request on its way, from the publish until its reply or its mark. */
interface Dispatch {
  readonly claim: ClaimedStep;
  /** When its claim was begun. */
  readonly claimedAt: number;
  confirmedAt: number | null;
}

/** Marking waits so long that the replies of fast Agents come first: most marks are never written. */
const markAfter = 200;
/** Milliseconds between two looks at what is to be marked, while there is anything. */
const lookEvery = 100;

/** Of how many requests the slowest is looked at. */
const sample = 200;
const relayBounds = { shortest: 600, longest: 3_000 };

/** The requests of this instance that are not yet marked. Nothing is lost with it: see the relay. */
export function dispatches(clock: Pick<Clock, "now" | "after">) {
  const open = new Map<string, Dispatch>();
  let look: (() => void) | null = null;
  let isLooking = false;

  const lookIn = (ms: number): void => {
    if (isLooking || look === null) return;
    isLooking = true;
    clock.after(ms, () => {
      isLooking = false;
      look?.();
    });
  };

  /** From the claim to the confirm. */
  const times: number[] = [];
  return {
    publishing(claim: ClaimedStep, claimedAt: number): void {
      open.set(keyOf(claim), { claim, claimedAt, confirmedAt: null });
    },
    /** Has `act` called when there may be something to mark. */
    whenToMark(act: () => void): void {
      look = act;
    },
    confirmed(claim: ClaimedStep): void {
      const dispatch = open.get(keyOf(claim));
      if (dispatch === undefined) return;
      lookIn(markAfter);
      dispatch.confirmedAt = clock.now();
      times.push(dispatch.confirmedAt - dispatch.claimedAt);
      if (times.length > sample) times.shift();
    },
    /**
     * After how many milliseconds a request counts as lost between claim and publish: well after our own
     * slowest, or everything would be published twice where the broker is busy or the store far away.
     */
    relayAfter(): number {
      const slowest = Math.max(0, ...times);
      return Math.min(relayBounds.longest, Math.max(relayBounds.shortest, 4 * slowest));
    },
    forget: (claim: Pick<ClaimedStep, "taskId" | "name" | "attempt">) => open.delete(keyOf(claim)),
    isOpen: (claim: ClaimedStep) => open.has(keyOf(claim)),
    /** Confirmed for a while, and still no reply. */
    unmarked(): readonly ClaimedStep[] {
      const before = clock.now() - markAfter;
      const confirmed = [...open.values()].filter(({ confirmedAt }) => confirmedAt !== null);
      const due = confirmed.filter(({ confirmedAt }) => (confirmedAt ?? 0) <= before);
      if (due.length < confirmed.length) lookIn(lookEvery);
      return due.map(({ claim }) => claim);
    },
  };
}

const keyOf = ({ taskId, name, attempt }: Pick<ClaimedStep, "taskId" | "name" | "attempt">) =>
  `${taskId} ${name} ${attempt}`;

export type Dispatches = ReturnType<typeof dispatches>;
