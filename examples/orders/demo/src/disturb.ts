import { keepAllRunning, type System } from "@holdfast/processes";
import { killNowAndThen } from "./kill-now-and-then.ts";
import type { News } from "./news.ts";

interface Options {
  readonly system: System;
  /** Whether processes are killed now and then. */
  readonly kill: boolean;
  readonly news: News;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

interface Disturbance {
  /** How many processes were killed so far. */
  readonly kills: number;
  /** Resolves after the signal. */
  readonly over: Promise<unknown>;
}

/**
 * Kills processes now and then, if that is wanted, and starts another one for each that has ended.
 */
export function disturb({ system, kill, news, say, signal }: Options): Disturbance {
  const killed = new Set<number>();
  const onKill = (name: string, pid: number): void => {
    killed.add(pid);
    news.add(`✗ kill -9 of ${name} ${pid}; another one takes its place`);
  };
  const killing = kill ? killNowAndThen({ system, signal, onKill }) : Promise.resolve();
  const keeping = keepAllRunning({
    system,
    signal,
    onEnd: ({ name, pid }) => {
      if (killed.has(pid)) return;
      const line = `✗ ${name} ${pid} has ended; another one takes its place`;
      news.add(line);
      // Elsewhere than on a terminal the screen shows no news.
      if (!process.stdout.isTTY) say(line);
    },
  });
  return {
    get kills() {
      return killed.size;
    },
    over: Promise.all([killing, keeping]),
  };
}
