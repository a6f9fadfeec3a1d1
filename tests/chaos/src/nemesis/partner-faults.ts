import { setTimeout as sleep } from "node:timers/promises";
import { type PartnerFaults, readFaultSettings, setFaultSettings } from "@holdfast/processes";
import { between } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

const partners = ["inventory", "payments", "shipping", "notifications"] as const;

/** A remote service that is slow, unwell, away, or loses the response after the effect. */
export const partnerFaults: readonly FaultClass[] = [
  disturbed("partner-slow", { latencyMs: { min: 100, max: 1_500 } }),
  disturbed("partner-unwell", { errorRate: 0.7 }),
  disturbed("partner-silent", { applyThenDropRate: 0.6 }),
  disturbed("partner-down", { down: true }),
];

function disturbed(name: string, settings: PartnerFaults): FaultClass {
  return {
    name,
    server: null,
    weight: 2,
    strike: ({ environment, random, claim }) =>
      claim(
        () => partners.map((partner) => ({ name: partner })),
        async ({ name: partner }) => {
          const { system } = environment;
          const before = await readFaultSettings(system);
          const duration = between(1_000, 4_000, random);
          await setFaultSettings(system, partner, settings);
          await sleep(duration);
          await setFaultSettings(system, partner, before[partner] ?? {});
          return { target: `${partner} for ${duration} ms` };
        },
      ),
  };
}
