import { fstatSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";
import { type Clock, systemClock } from "../time/clock.ts";

/** The way of the lines of a log, in their order, which never waits for their reader. */
export interface LogOutput extends DestinationStream {
  /**
   * Lines that were dropped since the start: their reader stood still, and no more of them were
   * kept.
   */
  readonly dropped: number;
  /** Called with the number of lines that were dropped, once there is room again. */
  onRoom(say: (lines: number) => void): void;
  /** Writes what is kept, and waits for its reader for a moment: the process ends. */
  end(): void;
}

/**
 * Writes bytes, and returns how many. Null: the reader has left no room. Throws where nothing can
 * ever be written any more.
 */
type WriteBytes = (bytes: Buffer) => number | null;

interface OutputOptions {
  readonly write: WriteBytes;
  readonly clock?: Pick<Clock, "after">;
  /** Bytes that are kept for a reader that stands still. */
  readonly most?: number;
}

const usualMost = 1024 * 1024;
/**
 * Milliseconds until a reader is tried again that has read something since, and one that stands
 * still.
 */
const [shortestRetry, longestRetry] = [1, 50];
/** Milliseconds for which the end of a process waits for such a reader. */
const longestEnd = 500;

/** What an output knows of its reader. */
interface OutputState {
  /** Lines that wait for room, the first one perhaps in part, and their bytes. */
  kept: Buffer[];
  bytes: number;
  dropped: number;
  /** Dropped lines of which nothing is said yet. */
  unsaid: number;
  say: (lines: number) => void;
  /** Whether its reader has gone: the process does its work without one. */
  isClosed: boolean;
  /** Whether a timer tries it again, and after how many milliseconds. */
  isWaiting: boolean;
  delay: number;
}

type Parts = Required<OutputOptions> & { readonly state: OutputState };

/**
 * An output that writes each line before the work goes on, so that none is missing before a crash,
 * as long as its reader reads. While that stands still, lines are kept up to a bound; those that
 * come after are dropped and counted.
 */
export function boundedOutput({
  write,
  clock = systemClock,
  most = usualMost,
}: OutputOptions): LogOutput {
  const state: OutputState = {
    kept: [],
    bytes: 0,
    dropped: 0,
    unsaid: 0,
    say: () => {},
    isClosed: false,
    isWaiting: false,
    delay: shortestRetry,
  };
  const parts: Parts = { write, clock, most, state };
  return {
    get dropped() {
      return state.dropped;
    },
    onRoom: (say) => void (state.say = say),
    write(text) {
      if (state.isClosed) return;
      const line = Buffer.from(text);
      if (state.bytes > 0 && state.bytes + line.length > most) {
        state.dropped += 1;
        state.unsaid += 1;
        return;
      }
      state.kept.push(line);
      state.bytes += line.length;
      // A reader that stood still is not tried for each line.
      if (!state.isWaiting) flush(parts);
      retryLater(parts);
    },
    end() {
      const until = performance.now() + longestEnd;
      for (;;) {
        flush(parts);
        sayDropped(parts);
        if (state.bytes === 0 || performance.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    },
  };
}

/** Writes what is kept, as far as there is room. */
function flush({ write, state }: Parts): void {
  try {
    while (state.kept[0] !== undefined) {
      const written = write(state.kept[0]);
      if (written === null) return;
      state.bytes -= written;
      if (written < state.kept[0].length) state.kept[0] = state.kept[0].subarray(written);
      else state.kept.shift();
    }
  } catch {
    Object.assign(state, { isClosed: true, kept: [], bytes: 0 });
  }
}

function sayDropped({ most, state }: Parts): void {
  const { unsaid, bytes, isClosed, say } = state;
  if (unsaid === 0 || bytes > most / 2 || isClosed) return;
  state.unsaid = 0;
  say(unsaid);
}

function retryLater(parts: Parts): void {
  const { clock, state } = parts;
  if (state.isWaiting || state.isClosed || (state.bytes === 0 && state.unsaid === 0)) return;
  state.isWaiting = true;
  clock.after(state.delay, () => {
    state.isWaiting = false;
    const before = state.bytes;
    flush(parts);
    state.delay = state.bytes < before ? shortestRetry : Math.min(longestRetry, 2 * state.delay);
    sayDropped(parts);
    retryLater(parts);
  });
}

const standardOutput = 1;

/**
 * The standard output as an output that does not wait; null: it is no pipe, and files and
 * terminals take each line. Its last lines are written when the process exits.
 */
export function openStandardOutput(): LogOutput | null {
  if (!isPipe(standardOutput)) return null;
  // Opening it has Node set it so that a write returns at once.
  void process.stdout;
  const output = boundedOutput({ write: (bytes) => writeNow(standardOutput, bytes) });
  process.on("exit", () => output.end());
  return output;
}

function isPipe(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket();
  } catch {
    return false;
  }
}

function writeNow(descriptor: number, bytes: Buffer): number | null {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return null;
    throw error;
  }
}
