import { rampEnd, rampLimit } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";
import type { Breaker } from "@holdfast/state-store";

interface Dependencies {
  readonly clock: Pick<Clock, "now">;
  /** The remote service behind a lane. */
  readonly serviceOf: (lane: string) => string;
  /** Called once when the breakers are needed, and were read too long ago. */
  readonly onStale: () => void;
}

/** Milliseconds between two looks at the breakers, while there are claims or a breaker holds something back. */
const lookEvery = 500;
/** Milliseconds between two looks of a Scheduler that claims nothing: it need not know. */
const idleEvery = 5_000;
/**
 * Milliseconds between two looks while steps are released in growing numbers, and there may be more slots without a
 * reply.
 */
const lookOftenEvery = 250;
/** Milliseconds until a probe is tried again for which there was no step. */
const probeAgainIn = 1_000;

/** The breakers as this Scheduler has read them last. Between two looks its own clock goes on. */
export function breakerView({ clock, serviceOf, onStale }: Dependencies) {
  /** Breakers by service; null: not read yet. A Scheduler that has just started must not claim what is held back. */
  let known: ReadonlyMap<string, Breaker> | null = null;
  let readAt = clock.now();
  let isStale = false;
  /** The instant before which no probe of a service is tried, because no step was due. */
  const noProbeBefore = new Map<string, number>();
  const passed = (): number => clock.now() - readAt;
  const all = (): readonly Breaker[] => [...(known?.values() ?? [])];
  const isHeldBack = (breaker: Breaker | undefined): boolean =>
    breaker !== undefined && releasedFor(breaker, passed()) < 0;
  const isRamping = (): boolean =>
    all().some((breaker) => !isHeldBack(breaker) && releasedFor(breaker, passed()) < rampEnd);

  return {
    /** Takes over what the store has. Returns whether steps of some service are released by it. */
    replace(found: readonly Breaker[]): boolean {
      const held = all().filter(isHeldBack);
      const isFirst = known === null;
      known = new Map(found.map((breaker) => [breaker.service, breaker]));
      readAt = clock.now();
      isStale = false;
      return isFirst || isRamping() || held.some(({ service }) => !isHeldBack(known?.get(service)));
    },
    /** Whether the steps of some service are released in growing numbers. */
    isRamping,
    isClosed: (service: string): boolean => (known?.get(service)?.state ?? "closed") === "closed",
    /** How much longer a service wants to be left alone, in milliseconds. */
    throttledFor: (service: string): number => {
      const breaker = known?.get(service);
      return breaker === undefined ? 0 : Math.max(0, throttledFor(breaker, passed()));
    },
    /** How many steps of a lane all Schedulers together may have in flight, if without a breaker it were `max`. */
    limit: (lane: string, max: number): number => {
      const breaker = known?.get(serviceOf(lane));
      if (breaker === undefined) return known === null ? 0 : max;
      return isHeldBack(breaker) ? 0 : Math.min(max, rampLimit(releasedFor(breaker, passed())));
    },
    /** Something is claimed by what was read. */
    used(): void {
      if (isStale || passed() < lookEvery) return;
      isStale = true;
      onStale();
    },
    /** The services of which a step is to be tried now. */
    dueProbes: (): readonly string[] =>
      all()
        .filter((breaker) => isProbeDue(breaker, passed()))
        .map(({ service }) => service)
        .filter((service) => (noProbeBefore.get(service) ?? 0) <= clock.now()),
    /** Defers the next probe of a service of which there was no step to try. */
    deferProbe: (service: string) => noProbeBefore.set(service, clock.now() + probeAgainIn),
    /** Milliseconds until the next look. */
    nextLook(): number {
      const usual = all().length === 0 ? idleEvery : lookEvery;
      const coming = all().flatMap((breaker) => changesIn(breaker, passed()));
      return Math.min(isRamping() ? lookOftenEvery : usual, ...coming);
    },
  };
}

export type BreakerView = ReturnType<typeof breakerView>;

const throttledFor = ({ throttledFor: left }: Breaker, passed: number): number =>
  (left ?? -rampEnd) - passed;

/** Milliseconds for which steps have been released again; negative: they are held back. */
const releasedFor = (breaker: Breaker, passed: number): number =>
  breaker.state === "closed"
    ? Math.min(breaker.age + passed, -throttledFor(breaker, passed))
    : Number.NEGATIVE_INFINITY;

const isProbeDue = (breaker: Breaker, passed: number): boolean =>
  breaker.state !== "closed" &&
  !breaker.held &&
  (breaker.openFor ?? 0) <= passed &&
  throttledFor(breaker, passed) <= 0;

/** When a probe is due, and when a service may be called again. */
const changesIn = (breaker: Breaker, passed: number): readonly number[] =>
  [(breaker.openFor ?? 0) - passed, throttledFor(breaker, passed)].filter((ms) => ms > 0);
