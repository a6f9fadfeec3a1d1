import { expect } from "@jest/globals";
import { sameClaims } from "./compare.ts";
import { inOrder, type Pair } from "./pair.ts";

/** Milliseconds beyond the longest time for which a breaker is open. */
const jump = 5 * 60_000;
const actor = "scheduler";

/** What Schedulers and operators do to the breaker of one remote service, on both stores. */
export const breakerOperations: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  async openBreakers(pair) {
    const { real, memory, random } = pair;
    const services = [{ service: serviceOf(pair), reason: "it fails" }];
    const asked = { services, actor };
    // Another Scheduler may say the same.
    for (let times = 1 + random.below(2); times > 0; times -= 1) {
      expect(memory.openBreakers(asked)).toBe(await real.openBreakers(asked));
    }
    await sameBreakers(pair);
  },

  async throttleServices(pair) {
    const throttles = [{ service: serviceOf(pair), throttle: 30_000 }];
    await pair.real.throttleServices({ throttles, actor });
    pair.memory.throttleServices({ throttles, actor });
    await sameBreakers(pair);
  },

  async holdAndClose(pair) {
    const { real, memory, random } = pair;
    const request = { service: serviceOf(pair), actor: "ann", reason: "maintenance" };
    const act = random.pick(["holdBreakerOpen", "closeBreaker", "closeBreaker"] as const);
    // Whether a service still wants to be left alone must not depend on the machine.
    await pair.advance(jump);
    expect(memory[act](request)).toBe(await real[act](request));
    await sameBreakers(pair);
  },

  async claimProbe(pair) {
    const { real, memory, random, claims } = pair;
    await pair.advance(jump);
    const service = serviceOf(pair);
    const options = {
      service,
      lanes: [{ lane: service }],
      lockedBy: "scheduler",
      resendAfter: 300_000,
    };
    const theirs = await real.claimProbe(options);
    const ours = memory.claimProbe(options);
    await sameClaims(pair, theirs === null ? [] : [theirs], ours === null ? [] : [ours]);
    const probe = theirs === null ? claims.at(-1) : ([theirs, ours!] as const);
    await sameBreakers(pair);
    if (probe === undefined || random.chance(0.3)) return;
    const outcome = { answered: random.chance(0.5), code: "test.failed" };
    await real.endProbes({ outcomes: [{ ...outcome, token: probe[0].token }], actor });
    memory.endProbes({ outcomes: [{ ...outcome, token: probe[1].token }], actor });
    await sameBreakers(pair);
  },
};

const serviceOf = ({ random }: Pair): string => random.pick(["left", "right"]);

/** Closed ones are listed for a while only, and that passes by itself at Postgres. */
async function sameBreakers({ real, memory }: Pair): Promise<void> {
  const [theirs, ours] = [await real.findBreakers(), memory.findBreakers()].map((found) =>
    found
      .filter(({ state }) => state !== "closed")
      .map(({ service, state, reason, held }) => ({ service, state, reason, held }))
      .toSorted(inOrder),
  );
  expect(ours).toEqual(theirs);
}
