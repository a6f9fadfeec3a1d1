import type { Logger } from "@holdfast/runtime";
import type { AppliedEvents, ClaimOptions } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { limitsOf } from "../../test/limits.ts";
import { claimSteps } from "./claim-steps.ts";

const nothing: AppliedEvents = {
  outcomes: [],
  tasks: [],
  claims: null,
  obsoleteAttempts: [],
  hasNotifications: false,
};

/** A Scheduler that records replies of an Agent with free slots; whether each of them claims, and what it tells others. */
async function recording() {
  const stopping = new AbortController();
  const claiming: boolean[] = [];
  const told: string[] = [];
  const claims = claimSteps({
    store: { claimDueSteps: async () => [], claimProbe: async () => null },
    limits: await limitsOf({}),
    dispatch: async () => {},
    onClaim: () => {},
    hint: () => void told.push("others"),
    wake: () => void told.push("own loop"),
    signal: stopping.signal,
    clock: testClock(),
    log: { error: () => {} } as Partial<Logger> as Logger,
    failpoint: () => {},
    lockedBy: "scheduler-1",
    relayAfter: () => 1_000,
    batchReserve: 0,
    measures: { claimed: () => {} },
  });
  const apply = async ({ claim }: { readonly claim?: ClaimOptions }) => {
    claiming.push(claim !== undefined);
    return nothing;
  };
  const record = (areUrgent: boolean) => claims.withEvents(["payments"], apply, { areUrgent });
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
