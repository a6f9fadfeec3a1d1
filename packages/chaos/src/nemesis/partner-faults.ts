import { setTimeout as sleep } from "node:timers/promises";
import { between } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

const partners = ["inventory", "payments", "shipping", "notifications"] as const;

/** A remote service that is slow, unwell, away, or loses the answer after the deed. */
export const partnerFaults: readonly FaultClass[] = [
  disturbed("partner-slow", { latencyMs: { min: 100, max: 1_500 } }),
  disturbed("partner-unwell", { errorRate: 0.7 }),
  disturbed("partner-silent", { applyThenDropRate: 0.6 }),
  disturbed("partner-down", { down: true }),
];

function disturbed(name: string, knobs: object): FaultClass {
  return {
    name,
    server: null,
    weight: 2,
    strike: ({ rig, random, claim }) =>
      claim(
        () => partners.map((partner) => ({ name: partner })),
        async ({ name: partner }) => {
          const url = `${rig.system.partnersUrl}/knobs`;
          const before = (await (await fetch(url)).json()) as Readonly<Record<string, object>>;
          const duration = between(1_000, 4_000, random);
          await turn(`${url}/${partner}`, knobs);
          await sleep(duration);
          await turn(`${url}/${partner}`, before[partner] ?? {});
          return { target: `${partner} for ${duration} ms` };
        },
      ),
  };
}

async function turn(url: string, knobs: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "PUT", headers, body: JSON.stringify(knobs) });
  if (!response.ok) throw new Error(`the partners refuse the knobs: ${await response.text()}`);
}
