/** How many processes of what there are, and how far away the database of the Schedulers is. */
export interface Setup {
  readonly name: string;
  readonly title: string;
  readonly schedulers: number;
  /** Processes of Agents. */
  readonly agents: number;
  /** Milliseconds there and back. */
  readonly distance: number;
  /** How many steps of one Agent may be in flight. */
  readonly window: number;
}

interface Distance {
  readonly distance: number;
  readonly window: number;
}

/** With the window as it is unless somebody says otherwise. */
const near: Distance = { distance: 0, window: 200 };
/** Steps are in flight for longer, so that there have to be more of them. */
const away: Distance = { distance: 20, window: 600 };
/** So far that distance and nothing else bounds a Scheduler, which takes more steps in flight. */
const far: Distance = { distance: 200, window: 800 };

function setup(schedulers: number, agents: number, { distance, window }: Distance = near): Setup {
  const [suffix, title] = distance === 0 ? ["", ""] : [`d${distance}`, `, ${distance} ms away`];
  return {
    name: `s${schedulers}a${agents}${suffix}`,
    title: `Schedulers ${schedulers}, Agents ${agents}${title}`,
    schedulers,
    agents,
    distance,
    window,
  };
}

/** What is measured. The first at each distance is what the others at it are compared to. */
export const setups: readonly Setup[] = [
  setup(1, 1),
  setup(2, 1),
  setup(4, 1),
  setup(1, 2),
  setup(1, 4),
  setup(1, 1, away),
  setup(2, 1, away),
  setup(4, 1, away),
  setup(1, 1, far),
  setup(2, 1, far),
  setup(4, 1, far),
];
