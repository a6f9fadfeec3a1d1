import type { FaultEvent } from "./evidence.ts";

/**
 * Whether a fault took a queue and what was in it: a wiped broker loses all queues; one that is
 * killed may forget who leads a queue, which then has to be deleted. `queue` is a name or its
 * beginning.
 */
export const losesQueue = ({ class: name, target }: FaultEvent, queue: string): boolean =>
  name === "broker-wiped" || target.includes(`leaderless: ${queue}`);
