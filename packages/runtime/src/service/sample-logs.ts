import type { LogFn, Logger } from "pino";
import { type Clock, systemClock } from "../time/clock.ts";

/** Lines with the same message that are written in one interval. */
const mostLines = 20;
/** Milliseconds. */
const interval = 1_000;
/** Pino's number for warnings. */
const warning = 40;

type LogMethod = (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;

interface Counted {
  lines: number;
  readonly saySuppressed: (lines: number) => void;
}

/**
 * A hook for pino. Of each warning and error it writes the first lines of a second, and then how
 * many were suppressed: hostile messages must not fill the disk with what is logged about them.
 */
export function sampleLogs(clock: Clock = systemClock): LogMethod {
  const counted = new Map<string, Counted>();

  const endInterval = (): void => {
    const all = [...counted.values()];
    counted.clear();
    for (const { lines, saySuppressed } of all) {
      if (lines > mostLines) saySuppressed(lines - mostLines);
    }
  };

  return function logMethod(args, method, level) {
    const message = level < warning ? undefined : messageOf(args);
    if (message === undefined) return method.apply(this, args);
    if (counted.size === 0) clock.after(interval, endInterval);
    const known = counted.get(message) ?? {
      lines: 0,
      saySuppressed: (suppressed) => method.call(this, { suppressed }, message),
    };
    counted.set(message, known);
    known.lines += 1;
    if (known.lines <= mostLines) method.apply(this, args);
  };
}

const messageOf = (args: readonly unknown[]): string | undefined =>
  args.slice(0, 2).find((argument) => typeof argument === "string");
