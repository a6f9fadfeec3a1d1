import { setTimeout as sleep } from "node:timers/promises";
import type { FaultEvent } from "../checker/evidence.ts";
import type { Environment } from "../system/start-environment.ts";
import { pick } from "./chance.ts";
import type { FaultClass, Field } from "./fault-class.ts";
import type { PlannedFault } from "./plan-faults.ts";

interface Options {
  readonly environment: Environment;
  readonly plan: readonly PlannedFault[];
  /** Milliseconds from the end of a server's fault to its next one. */
  readonly rest: number;
  readonly random: () => number;
  readonly record: (event: FaultEvent) => void;
  readonly poisoned: (messageId: string) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds within which a fault must be over. */
const timeout = 120_000;

/** Injects each fault at its time, whatever else is broken. Resolves when all is whole again. */
export async function injectFaults(options: Options): Promise<void> {
  const { environment, plan, rest, random, record, poisoned, signal } = options;
  const field: Field = { environment, random, claim: claims(random), poisoned };
  const servers = { store: Promise.resolve(), broker: Promise.resolve() };
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  const resting = () => sleep(rest, undefined, { signal }).catch(() => {});
  for (const { at, fault } of plan) {
    const dueIn = startedAt + at - performance.now();
    if (dueIn > 0) await sleep(dueIn, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const inject = async () => record(await strike(fault, field));
    if (fault.server === null) open.push(inject());
    else servers[fault.server] = servers[fault.server].then(inject).then(resting);
  }
  await Promise.all([...open, servers.store, servers.broker]);
}

/**
 * Tries of one fault: on a slow machine there may be nothing to break, as all of a service still
 * starts or no order is on its way.
 */
const tries = 3;

async function strike(fault: FaultClass, field: Field): Promise<FaultEvent> {
  let event = await tryToStrike(fault, field);
  for (let tried = 1; event.error !== null && tried < tries; tried += 1) {
    event = await tryToStrike(fault, field);
  }
  return event;
}

async function tryToStrike(fault: FaultClass, field: Field): Promise<FaultEvent> {
  const from = Date.now();
  try {
    const { target, recoverFrom } = await Promise.race([fault.strike(field), tooLong()]);
    const healedAt = Date.now();
    const facts = { class: fault.name, target, from, healedAt };
    return { ...facts, recoverFrom: recoverFrom ?? healedAt, error: null };
  } catch (error) {
    const now = Date.now();
    const why = error instanceof Error ? error.message : String(error);
    return { class: fault.name, target: "", from, healedAt: now, recoverFrom: now, error: why };
  }
}

async function tooLong(): Promise<never> {
  await sleep(timeout, undefined, { ref: false });
  throw new Error("it did not end in time");
}

/** Milliseconds in which something should turn up that can be broken. */
const somethingWithin = 10_000;

/** No two faults claim one thing at a time: the end of the first would end the second. */
function claims(random: () => number): Field["claim"] {
  const taken = new Set<string>();
  return async (targets, work) => {
    const giveUpAt = performance.now() + somethingWithin;
    const free = () => targets().filter(({ name }) => !taken.has(name));
    while (free().length === 0 && performance.now() < giveUpAt) await sleep(20);
    const target = pick(free(), random);
    taken.add(target.name);
    try {
      return await work(target);
    } finally {
      taken.delete(target.name);
    }
  };
}
