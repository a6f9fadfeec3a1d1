import type { IndexedEvidence } from "./indexed-evidence.ts";

const enoughOrders = 0.95;
const enoughFaults = 0.8;
/** Faults that leave replies which nobody may believe. */
const staleMakers: ReadonlySet<string> = new Set(["evil-replies", "agent-frozen"]);

/** Why this run proves nothing; empty: it does. */
export function vacuityOf({
  plan,
  history,
  faults,
  rejectedReplies,
}: IndexedEvidence): readonly string[] {
  const submitted = new Set(history.map(({ key }) => key)).size;
  const fired = faults.filter(({ error }) => error === null);
  const classes = new Set(fired.map((fault) => fault.class));
  const missing = plan.classes.filter((name) => !classes.has(name));
  const mustBeStale = plan.classes.some((name) => staleMakers.has(name));
  return [
    ...(submitted >= plan.orders * enoughOrders
      ? []
      : [`${submitted} of ${plan.orders} orders were submitted`]),
    ...(fired.length >= plan.faults * enoughFaults
      ? []
      : [`${fired.length} of ${plan.faults} faults were injected`]),
    ...missing.map((name) => `no fault of the class ${name} was injected`),
    ...(mustBeStale && rejectedReplies.length === 0 ? ["no stale reply was refused"] : []),
  ];
}
