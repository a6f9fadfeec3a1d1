import type { LaunchedProcess } from "./start-service.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/**
 * Milliseconds by which a wall clock is wrong, one after the other: seconds, hours and days, and
 * right in between.
 */
const errors = [5 * second, 0, -5 * second, 0, 3 * hour, 0, -3 * hour, 0, 40 * day, -40 * day, 0];

const signal = "SIGUSR2";

const code = `
  const Right = Date;
  const errors = ${JSON.stringify(errors)};
  let jumps = process.pid;
  let wrong = 0;
  process.on("${signal}", () => { wrong = errors[(jumps += 1) % errors.length]; });
  globalThis.Date = class extends Right {
    constructor(...given) { if (given.length > 0) super(...given); else super(Right.now() + wrong); }
    static now() { return Right.now() + wrong; }
  };`;

/**
 * An option of Node with which `jumpClock` works on a process: it runs before the process's own
 * code. The monotonic clock, by which timers go, runs on.
 */
export const jumpingClock = `--import=data:text/javascript,${encodeURIComponent(code)}`;

/**
 * Has the wall clock of a process that is ready jump: forwards or back, by seconds, hours or days,
 * or to the right time.
 */
export const jumpClock = (process: Pick<LaunchedProcess, "signal">): void => process.signal(signal);
