import { setTimeout as sleep } from "node:timers/promises";
import { keepRunning, type ServiceName } from "@holdfast/processes";
import type { FaultySystem } from "./faulty-system.ts";

/** Milliseconds between two kills. */
const killEvery = 1_000;

/**
 * Kills a process of each of these services by turns, with SIGKILL each second, while others are
 * started in place of those.
 */
export function killEachSecond({ system }: FaultySystem, services: readonly ServiceName[]) {
  const ending = new AbortController();
  const { signal } = ending;
  const kept = services.flatMap((service) =>
    system
      .running(service)
      .map((first) => keepRunning({ first, start: () => system.start(service), signal })),
  );
  let kills = 0;
  const kill = async (): Promise<void> => {
    for (let turn = 0; ; turn += 1) {
      await sleep(killEvery, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const running = system.running(services[turn % services.length]!);
      if (running.length === 0) continue;
      running[Math.floor(turn / services.length) % running.length]?.signal("SIGKILL");
      kills += 1;
    }
  };
  const killing = kill();
  return {
    kills: () => kills,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await killing;
      await Promise.all(kept.map(({ over }) => over));
    },
  };
}
