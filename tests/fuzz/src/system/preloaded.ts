import { jumpingClock } from "@holdfast/processes";

/** What a line of the log says that a process prints about its event loop. */
export const loopLine = "event loop watched";

/**
 * Runs in a process before its own code, and prints once a second for how long its event loop stood still at most. As
 * the service itself measures it: from timer to timer, less the time between two of them.
 */
const watchLoop = (line: string) => `
  import { monitorEventLoopDelay } from "node:perf_hooks";
  const resolution = 10;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  setInterval(() => {
    const longestMs = Math.max(0, delay.max / 1e6 - resolution);
    delay.reset();
    console.log(JSON.stringify({ level: 10, time: Date.now(), msg: "${line}", longestMs }));
  }, 1_000).unref();`;

const importing = (code: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(code)}`;

/** Options of Node by which a process says how its event loop is, and has a wall clock that jumps. */
export const preloaded = [importing(watchLoop(loopLine)), jumpingClock].join(" ");
