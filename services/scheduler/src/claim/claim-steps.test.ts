import type { Logger } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { limitsOf } from "../../test/limits.ts";
import { claimSteps } from "./claim-steps.ts";

/**
 * A Scheduler that records replies of an Agent with free slots; whether each of them claims, and
 * what it tells others.
 */
async function recording() {
  const stopping = new AbortController();
  const claiming: boolean[] = [];
  const told: string[] = [];
  const limits = await limitsOf({});
  const claims = claimSteps({
    ...limits,
    store: { claimDueSteps: async () => [], claimProbe: async () => null },
    dispatch: async () => {},
    hint: () => void told.push("others"),
    wake: () => void told.push("own loop"),
    signal: stopping.signal,
    log: { error: () => {} } as Partial<Logger> as Logger,
    failpoint: () => {},
    actor: "scheduler-1",
    measures: { claimed: () => {} },
  });
  const record = async (areUrgent: boolean): Promise<void> => {
    const joined = await claims.join(["payments"], { areUrgent });
    claiming.push(joined.claim !== null);
    claims.take(joined, { claims: null });
  };
  return { record, stopping, claiming, told };
}

test.each([true, false])(
  "a Scheduler that stops claims nothing with its last replies, and has others claim (urgent: %p)",
  async (areUrgent) => {
    const { record, stopping, claiming, told } = await recording();
    await record(areUrgent);
    stopping.abort();
    await record(areUrgent);
    expect(claiming).toEqual([true, false]);
    expect(told).toEqual(["own loop", "others"]);
  },
);
