import { setTimeout as sleep } from "node:timers/promises";
import { jumpClock } from "@holdfast/processes";
import { between, pick } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
/** Milliseconds by which the store's clock is wrong for a while. */
const errors = [5 * second, -5 * second, 3 * hour, -3 * hour, 40 * day, -40 * day] as const;
/** Milliseconds for which it is. */
const longest = 3_000;

/** Clocks that jump, forwards and back. */
export const clockFaults: readonly FaultClass[] = [
  {
    name: "wall-clocks-jumped",
    server: null,
    weight: 2,
    async strike({ environment, random }) {
      const recoverFrom = Date.now();
      const running = environment.processes.members.flatMap(({ name, process }) =>
        process === null ? [] : [{ name, process }],
      );
      const jumped = running.filter(() => random() < 0.5);
      for (const { process } of jumped) jumpClock(process);
      await sleep(between(0, longest, random));
      for (const { process } of jumped) if (process.isRunning) jumpClock(process);
      return { target: jumped.map(({ name }) => name).join(), recoverFrom };
    },
  },
  {
    name: "store-clock-jumped",
    server: "store",
    weight: 2,
    async strike({ environment, random }) {
      const ms = pick(errors, random);
      await environment.storeClock?.set(ms);
      await sleep(between(0, longest, random));
      await environment.storeClock?.set(0);
      return { target: `by ${ms / second} s` };
    },
  },
];
