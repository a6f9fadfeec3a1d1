import { jumpingClock } from "@holdfast/processes";

/** What a line of the log says that a process prints about its event loop. */
export const loopLine = "event loop watched";

/**
 * Runs in a process before its own code, and prints once a second for how long one turn of its event loop lasted at most:
 * in milliseconds in which its thread had the processor. On a machine with more processes than cores a loop waits for
 * its turn otherwise, and that is no fault of what it was given.
 */
const watchLoop = (line: string) => `
  let longestMs = 0;
  let last = performance.now();
  let used = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    longestMs = Math.max(longestMs, Math.min(performance.now() - last, (user + system) / 1_000));
    last = performance.now();
    used = process.threadCpuUsage();
  }, 5).unref();
  setInterval(() => {
    console.log(JSON.stringify({ level: 10, time: Date.now(), msg: "${line}", longestMs }));
    longestMs = 0;
  }, 1_000).unref();`;

const importing = (code: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(code)}`;

/** Options of Node by which a process says how its event loop is, and has a wall clock that jumps. */
export const preloaded = [importing(watchLoop(loopLine)), jumpingClock].join(" ");
