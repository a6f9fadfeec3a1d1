import type { Milliseconds, TaskState } from "@holdfast/domain";
import type { FollowedMove } from "@holdfast/state-store";
import type { Reader } from "../access/access.ts";
import { historyResource } from "../task-resource.ts";
import type { EventStream } from "./event-stream.ts";

/** A client that follows a task. */
export interface Follower {
  readonly taskId: string;
  readonly reader: Reader;
  readonly stream: EventStream;
  /** Moves after this one are read: some of them were sent before. */
  readonly after: string;
  /** Sends those of these moves that are new. `most`: so many are read at a time. */
  take(moves: readonly FollowedMove[], most: number): void;
  /** More moves were there than one poll reads. */
  readonly hasMore: boolean;
  /** The task has changed since it was sent as a whole. */
  isBehind: boolean;
  /** The version of the task that was sent; null: none was. */
  sentVersion: number | null;
  /** The version in which the task had ended before its moves were read; null: it had not. */
  endedVersion: number | null;
  /** Says in which state the task has ended, or that it is gone (null), and ends the stream. */
  end(state: TaskState | null): void;
  readonly hasEnded: boolean;
}

/**
 * Moves get their numbers before they can be seen, so that one may appear after a later one did.
 * What came in the last seconds is read again, therefore, and what was sent before is left out.
 */
export const overlap: Milliseconds = 5_000;

interface Start {
  readonly taskId: string;
  readonly reader: Reader;
  /** Moves after this one are sent. */
  readonly after: string;
  readonly clock?: () => Milliseconds;
}

export function follower(
  { taskId, reader, after: from, clock = () => performance.now() }: Start,
  stream: EventStream,
): Follower {
  let after = from;
  let hasMore = true;
  let hasEnded = false;
  /** When each move was sent that is read again. */
  const sent = new Map<string, Milliseconds>();
  const pass = (id: string): void => {
    if (BigInt(id) > BigInt(after)) after = id;
  };
  const self: Follower = {
    taskId,
    reader,
    stream,
    get after() {
      return after;
    },
    get hasMore() {
      return hasMore;
    },
    isBehind: true,
    sentVersion: null,
    endedVersion: null,
    get hasEnded() {
      return hasEnded;
    },
    end(state) {
      if (hasEnded) return;
      hasEnded = true;
      stream.send({ event: "end", data: { id: taskId, state } });
      stream.end();
    },
    take(moves, most) {
      const now = clock();
      for (const { taskId: _task, after: _after, ...move } of moves) {
        if (sent.has(move.id)) continue;
        stream.send({ id: move.id, event: "moved", data: historyResource(move, reader) });
        sent.set(move.id, now);
        self.isBehind = true;
      }
      hasMore = moves.length >= most;
      // Else what is beyond them would never be read.
      if (hasMore) pass(moves.at(-1)?.id ?? after);
      for (const [id, at] of sent) if (now - at > overlap) pass(id);
      for (const id of sent.keys()) if (BigInt(id) <= BigInt(after)) sent.delete(id);
    },
  };
  return self;
}
