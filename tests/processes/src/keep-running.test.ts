import { expect, test } from "@jest/globals";
import { keepAllRunning, keepRunning } from "./keep-running.ts";
import type { ServiceProcess } from "./start-service.ts";
import type { System } from "./start-system.ts";

/** A system whose processes end when the test says so. */
function fakeSystem(names: readonly string[]) {
  let pids = 0;
  const ends = new Map<number, () => void>();
  const begin = (name: string): ServiceProcess => {
    pids += 1;
    const { promise: exited, resolve } = Promise.withResolvers<number | null>();
    ends.set(pids, () => resolve(null));
    return { name, pid: pids, exited } as ServiceProcess;
  };
  const started: string[] = [];
  const system = {
    processes: names.map(begin),
    start: async (name: string) => {
      started.push(name);
      return begin(name);
    },
  } as Partial<System> as System;
  return { system, started, end: (pid: number) => ends.get(pid)?.() };
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("another process is started for each that ends, and for the one in its place", async () => {
  const { system, started, end } = fakeSystem(["scheduler", "agent", "scheduler"]);
  const stop = new AbortController();
  const ended: string[] = [];
  const kept = keepAllRunning({
    system,
    signal: stop.signal,
    onEnd: ({ name, pid }) => ended.push(`${name} ${pid}`),
  });
  end(1);
  await turn();
  end(4);
  end(2);
  await turn();
  expect(ended).toEqual(["scheduler 1", "scheduler 4", "agent 2"]);
  expect(started).toEqual(["scheduler", "scheduler", "agent"]);
  stop.abort();
  await kept;
});

test("no process is restarted while all processes are being stopped", async () => {
  const { system, started, end } = fakeSystem(["scheduler"]);
  const stop = new AbortController();
  const kept = keepAllRunning({ system, signal: stop.signal, onEnd: () => {} });
  stop.abort();
  end(1);
  await kept;
  expect(started).toEqual([]);
});

test("a process is started again when its start has failed", async () => {
  const stop = new AbortController();
  let starts = 0;
  const kept = keepRunning({
    start: async () => {
      starts += 1;
      if (starts < 3) throw new Error("what it depends on is down");
      return { exited: new Promise(() => {}) } as Partial<ServiceProcess> as ServiceProcess;
    },
    signal: stop.signal,
  });
  await expect(kept.started).rejects.toThrow("what it depends on is down");
  while (kept.process === null) await turn();
  expect(starts).toBe(3);
  stop.abort();
  await kept.over;
});
