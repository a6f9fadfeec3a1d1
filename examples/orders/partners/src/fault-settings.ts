import { type Static, Type } from "typebox";
import { type Partner, partners } from "./ledger-entry.ts";

const Rate = Type.Number({ minimum: 0, maximum: 1 });
const Delay = Type.Integer({ minimum: 0, maximum: 600_000 });

/** How badly a partner behaves. What is not given is well-behaved. */
export const FaultSettings = Type.Object(
  {
    /** How many requests are answered 503, with nothing done. */
    errorRate: Type.Optional(Rate),
    /** How long a request is on its way before the partner sees it. */
    latencyMs: Type.Optional(
      Type.Union([Delay, Type.Object({ min: Delay, max: Delay }, { additionalProperties: false })]),
    ),
    /** How long a request is in progress before its effect happens. */
    holdMs: Type.Optional(Delay),
    /** How many requests have their effect, but lose the answer with the connection. */
    applyThenDropRate: Type.Optional(Rate),
    /** The connection is reset before anything is read. */
    down: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type FaultSettings = Static<typeof FaultSettings>;

export interface FaultSettingsBoard {
  all(): Readonly<Record<Partner, FaultSettings>>;
  of(partner: Partner): FaultSettings;
  /** Takes the place of all fault settings of the partner. */
  turn(partner: Partner, faultSettings: FaultSettings): void;
}

/** The fault settings of all partners; at first all the same. */
export function openFaultSettings(initial: FaultSettings): FaultSettingsBoard {
  const board = new Map<Partner, FaultSettings>(partners.map((partner) => [partner, initial]));
  const of = (partner: Partner) => board.get(partner) ?? initial;
  return {
    of,
    all: () =>
      Object.fromEntries(partners.map((partner) => [partner, of(partner)])) as Record<
        Partner,
        FaultSettings
      >,
    turn: (partner, faultSettings) => board.set(partner, faultSettings),
  };
}

/** How long this request is on its way. */
export function latencyOf({ latencyMs = 0 }: FaultSettings, random: () => number): number {
  if (typeof latencyMs === "number") return latencyMs;
  return latencyMs.min + random() * Math.max(0, latencyMs.max - latencyMs.min);
}
