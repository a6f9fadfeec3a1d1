/** How long and how hard a run is. */
export interface Profile {
  /** Milliseconds in which orders are submitted and faults injected. */
  readonly duration: number;
  readonly orders: number;
  readonly faults: number;
  /** Whether the partners are now and then unwell by themselves. */
  readonly partners: "reliable" | "unreliable";
  /** Milliseconds from the end of a server's fault to its next one; none, unless said. */
  readonly rest?: number;
  /** Several servers of each kind, and the faults that only those can suffer; one, unless said. */
  readonly servers?: "cluster";
}

const minute = 60_000;

export const profiles = {
  smoke: { duration: minute, orders: 600, faults: 60, partners: "unreliable" },
  full: { duration: 30 * minute, orders: 20_000, faults: 1_500, partners: "unreliable" },
  soak: { duration: 24 * 60 * minute, orders: 500_000, faults: 2_880, partners: "unreliable" },
  cluster: {
    duration: 2 * minute,
    orders: 1_200,
    faults: 6,
    partners: "reliable",
    servers: "cluster",
  },
} as const satisfies Record<string, Profile>;

/**
 * A run with one class of faults: nothing else is unwell, and what one fault struck has ended
 * before the next. A RabbitMQ takes some 9 s to start.
 */
export const alone: Profile = {
  duration: 3 * minute,
  orders: 1_800,
  faults: 10,
  rest: 6_000,
  partners: "reliable",
};

/** Milliseconds from one fault to the next: a process is up again sooner than a server. */
const paces = { process: 3_000, server: alone.duration / alone.faults } as const;

/** A run with as many faults of one class alone as a percentile needs. */
export function recoveries(of: keyof typeof paces, faults: number): Profile {
  const duration = faults * paces[of];
  return {
    ...alone,
    faults,
    duration,
    orders: Math.round((alone.orders * duration) / alone.duration),
  };
}

export type ProfileName = keyof typeof profiles;

const longestRound = 30 * minute;

/**
 * A long run in equal rounds: after each the faults rest and all of it is judged, and forgotten.
 */
export function roundsOf(profile: Profile): readonly Profile[] {
  const count = Math.max(1, Math.round(profile.duration / longestRound));
  return Array.from({ length: count }, () => lasting(profile, profile.duration / count));
}

/** The same pace over another time. */
export function lasting(profile: Profile, duration: number): Profile {
  const part = duration / profile.duration;
  return {
    ...profile,
    duration,
    orders: Math.round(profile.orders * part),
    faults: Math.round(profile.faults * part),
  };
}
