import type { Milliseconds } from "@holdfast/domain";
import type { EventStream } from "./event-stream.ts";

/** Clients that follow something. */
export interface Following<One> {
  follow(one: One): void;
  leave(one: One): void;
  stop(): void;
}

interface Looks<One> {
  /** Looks at the store for all of them, and resolves to the rest before the next look. May remove followers. */
  readonly look: (followers: Set<One>) => Promise<Milliseconds>;
  /** Called when a client comes while no other follows. */
  readonly onFirst?: () => void;
}

/** The rest while the store does not answer. */
const afterFailure: Milliseconds = 1_000;

/** One look at the store at a time, for all who follow. Nothing is asked while no client does. */
export function followByPolls<One extends { readonly stream: Pick<EventStream, "comment"> }>({
  look,
  onFirst = () => {},
}: Looks<One>): Following<One> {
  const followers = new Set<One>();
  let next: ReturnType<typeof setTimeout> | null = null;
  let [isLooking, isAway] = [false, false];

  const say = (text: string): void => {
    for (const { stream } of followers) stream.comment(text);
  };
  const pollOnce = async (): Promise<void> => {
    next = null;
    isLooking = true;
    let rest = afterFailure;
    try {
      rest = await look(followers);
      if (isAway) say("the state store answers again");
      isAway = false;
    } catch {
      if (!isAway) say("the state store does not answer; this goes on when it is back");
      isAway = true;
    }
    isLooking = false;
    plan(rest);
  };
  const plan = (rest: Milliseconds): void => {
    if (next !== null || isLooking || followers.size === 0) return;
    next = setTimeout(() => void pollOnce(), rest);
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
