import type { Milliseconds } from "@holdfast/domain";
import type { EventStream } from "./event-stream.ts";

/** Clients that follow something. */
export interface Following<One> {
  follow(one: One): void;
  leave(one: One): void;
  stop(): void;
}

interface Polling<One> {
  /**
   * Reads the store for all followers, and resolves to the pause before the next poll. May remove
   * followers.
   */
  readonly poll: (followers: Set<One>) => Promise<Milliseconds>;
  /** Called when a client comes while no other follows. */
  readonly onFirst?: () => void;
}

/** The pause while the store does not answer. */
const afterFailure: Milliseconds = 1_000;

/**
 * Polls the store for all followers together, one poll at a time; not at all while there are none.
 */
export function followByPolls<One extends { readonly stream: Pick<EventStream, "comment"> }>({
  poll,
  onFirst = () => {},
}: Polling<One>): Following<One> {
  const followers = new Set<One>();
  let next: ReturnType<typeof setTimeout> | null = null;
  let [isPolling, isAway] = [false, false];

  const say = (text: string): void => {
    for (const { stream } of followers) stream.comment(text);
  };
  const pollOnce = async (): Promise<void> => {
    next = null;
    isPolling = true;
    let pause = afterFailure;
    try {
      pause = await poll(followers);
      if (isAway) say("the state store answers again");
      isAway = false;
    } catch {
      if (!isAway) say("the state store does not answer; this goes on when it is back");
      isAway = true;
    }
    isPolling = false;
    plan(pause);
  };
  const plan = (pause: Milliseconds): void => {
    if (next !== null || isPolling || followers.size === 0) return;
    next = setTimeout(() => void pollOnce(), pause);
  };

  return {
    follow(one) {
      if (followers.size === 0) onFirst();
      followers.add(one);
      plan(0);
    },
    leave: (one) => void followers.delete(one),
    stop() {
      if (next !== null) clearTimeout(next);
      followers.clear();
    },
  };
}
