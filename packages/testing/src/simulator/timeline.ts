/**
 * Simulated time: what is to happen, in its order. Moves only when all pending promises have
 * settled.
 */
export interface Timeline {
  /** Milliseconds since the schedule began. */
  readonly now: number;
  /** Calls `act` so many milliseconds from now. */
  after(ms: number, act: () => void): void;
  /**
   * Calls as `after` does, for an `act` that settles no promise: nothing follows from it but what
   * is asked for.
   */
  aside(ms: number, act: () => void): void;
  /** Calls as `after` does; what it returns calls that off. */
  timer(ms: number, act: () => void): () => void;
  /**
   * Lets so much time pass at once in which nothing happens: what is to happen does so as much
   * later.
   */
  skip(ms: number): void;
  /** Lets things happen until `isOver` says so, or nothing is left to happen. */
  run(isOver: () => boolean): Promise<void>;
}

interface Entry {
  at: number;
  /** The number of the entry: of two at the same time the one asked for first comes first. */
  readonly order: number;
  readonly isAside: boolean;
  act: (() => void) | null;
}

const settled = Promise.resolve();

const isBefore = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

export function timeline(): Timeline {
  const heap: Entry[] = [];
  let asked = 0;

  const push = (entry: Entry): void => {
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above] as Entry;
      if (!isBefore(entry, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  };

  const enter = (ms: number, act: () => void, isAside: boolean): Entry => {
    const entry = { at: time.now + Math.max(0, ms), order: asked, isAside, act };
    asked += 1;
    push(entry);
    return entry;
  };

  const pop = (): Entry | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Entry, heap[below] as Entry)) {
        below += 1;
      }
      const child = heap[below] as Entry;
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return first;
  };

  /**
   * Moves to the next thing from which promises may follow. False: all is over, or nothing is left.
   */
  const advance = (isOver: () => boolean): boolean => {
    while (!isOver()) {
      const entry = next();
      if (entry === undefined) return false;
      time.now = entry.at;
      entry.act?.();
      if (!entry.isAside) return true;
    }
    return false;
  };

  const next = (): Entry | undefined => {
    let entry = pop();
    while (entry?.act === null) entry = pop();
    return entry;
  };

  // A plain value and no getter: with those each object has a hidden class of its own in V8, which
  // holds on to all of its schedule until the next full collection.
  const time = {
    now: 0,
    after: (ms: number, act: () => void) => void enter(ms, act, false),
    aside: (ms: number, act: () => void) => void enter(ms, act, true),
    timer(ms: number, act: () => void) {
      const entry = enter(ms, act, false);
      return () => {
        entry.act = null;
      };
    },
    skip(ms: number) {
      for (const entry of heap) entry.at += ms;
      time.now += ms;
    },
    run(isOver: () => boolean) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const step = (): void => {
        try {
          if (!advance(isOver)) return resolve();
        } catch (error) {
          return reject(error);
        }
        // Ticks come after all promises that follow from this step have settled, however many.
        void settled.then(tick);
      };
      const tick = (): void => process.nextTick(step);
      tick();
      return promise;
    },
  };
  return time;
}
