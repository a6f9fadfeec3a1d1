/** How long and how hard a run is. */
export interface Profile {
  readonly name: string;
  /** Milliseconds in which orders are submitted and faults injected. */
  readonly duration: number;
  readonly orders: number;
  readonly faults: number;
}

const minute = 60_000;

export const profiles = {
  smoke: { name: "smoke", duration: minute, orders: 600, faults: 60 },
  full: { name: "full", duration: 30 * minute, orders: 20_000, faults: 1_500 },
  soak: { name: "soak", duration: 24 * 60 * minute, orders: 500_000, faults: 2_880 },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

/** The same pace over another time. */
export function lasting(profile: Profile, duration: number): Profile {
  const part = duration / profile.duration;
  return {
    name: profile.name,
    duration,
    orders: Math.round(profile.orders * part),
    faults: Math.round(profile.faults * part),
  };
}
