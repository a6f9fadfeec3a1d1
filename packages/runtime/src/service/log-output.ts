import { fstatSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";
import { type Clock, systemClock } from "../time/clock.ts";

/** Where the lines of a log go, in their order, without ever waiting for their reader. */
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
  let kept: Buffer[] = [];
  let bytes = 0;
  let dropped = 0;
  /** Dropped lines of which nothing is said yet. */
  let unsaid = 0;
  let say = (_lines: number): void => {};
  let isClosed = false;
  let isWaiting = false;
  let delay = shortestRetry;

  /** Writes what is kept, as far as there is room. */
  const flush = (): void => {
    while (kept[0] !== undefined) {
      const written = writeOrClose(kept[0]);
      if (written === null) return;
      bytes -= written;
      if (written < kept[0].length) kept[0] = kept[0].subarray(written);
      else kept.shift();
    }
  };
  const writeOrClose = (line: Buffer): number | null => {
    try {
      return write(line);
    } catch {
      // Its reader has gone: the process does its work without one.
      isClosed = true;
      [kept, bytes] = [[], 0];
      return null;
    }
  };
  const sayDropped = (): void => {
    if (unsaid === 0 || bytes > most / 2 || isClosed) return;
    const lines = unsaid;
    unsaid = 0;
    say(lines);
  };
  const retry = (): void => {
    isWaiting = false;
    const before = bytes;
    flush();
    delay = bytes < before ? shortestRetry : Math.min(longestRetry, 2 * delay);
    sayDropped();
    retryLater();
  };
  const retryLater = (): void => {
    if (isWaiting || isClosed || (bytes === 0 && unsaid === 0)) return;
    isWaiting = true;
    clock.after(delay, retry);
  };

  return {
    get dropped() {
      return dropped;
    },
    onRoom: (act) => void (say = act),
    write(text) {
      if (isClosed) return;
      const line = Buffer.from(text);
      if (bytes > 0 && bytes + line.length > most) {
        dropped += 1;
        unsaid += 1;
        return;
      }
      kept.push(line);
      bytes += line.length;
      // A reader that stood still is not tried for each line.
      if (!isWaiting) flush();
      retryLater();
    },
    end() {
      const until = performance.now() + longestEnd;
      for (;;) {
        flush();
        sayDropped();
        if (bytes === 0 || performance.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    },
  };
}

const standardOutput = 1;

/**
 * The standard output as an output that does not wait; undefined: it is no pipe, and files and
 * terminals take each line. Its last lines are written when the process exits.
 */
export function openStandardOutput(): LogOutput | undefined {
  if (!isPipe(standardOutput)) return undefined;
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
