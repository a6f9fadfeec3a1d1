/** How many processes of what there are, and under which conditions the Schedulers work. */
export interface Setup extends Conditions {
  readonly name: string;
  readonly title: string;
  readonly schedulers: number;
  /** Processes of Agents. */
  readonly agents: number;
  /** The kind: setups of the same kind are compared, and their names end in it. */
  readonly kind: string;
}

interface Conditions {
  /** How far away the database of the Schedulers is: milliseconds there and back. */
  readonly distance: number;
  /** How many steps of one Agent may be in flight. */
  readonly window: number;
  /** The part of a core that each Scheduler may use; null: as much as there is. */
  readonly share: number | null;
}

/** The conditions of a database that is near, with the usual window. */
const near: Conditions = { distance: 0, window: 200, share: null };
/** Steps are in flight for longer, so that there have to be more of them. */
const away: Conditions = { distance: 20, window: 600, share: null };
/**
 * A share so small that Schedulers are short of CPU and the machine is not, however many there are.
 * Each does less than one that has a core, so that the usual window is enough.
 */
const awayWithLittle: Conditions = { distance: 20, window: 200, share: 0.08 };
/** A distance at which it alone bounds a Scheduler, which takes more steps in flight. */
const far: Conditions = { distance: 200, window: 800, share: null };

function setup(schedulers: number, agents: number, conditions: Conditions = near): Setup {
  const { distance, share } = conditions;
  const percent = Math.round((share ?? 1) * 100);
  const differences = [
    ...(distance === 0 ? [] : [{ suffix: `d${distance}`, title: `${distance} ms away` }]),
    ...(share === null ? [] : [{ suffix: `c${percent}`, title: `${percent} % of a core each` }]),
  ];
  const kind = differences.map(({ suffix }) => suffix).join("");
  const titles = differences.map(({ title }) => `, ${title}`).join("");
  return {
    name: `s${schedulers}a${agents}${kind}`,
    title: `Schedulers ${schedulers}, Agents ${agents}${titles}`,
    schedulers,
    agents,
    kind,
    ...conditions,
  };
}

/** What is measured. The first of each kind is what the others of it are compared to. */
export const setups: readonly Setup[] = [
  setup(1, 1),
  setup(2, 1),
  setup(4, 1),
  setup(1, 2),
  setup(1, 4),
  setup(2, 2),
  setup(4, 4),
  setup(1, 1, away),
  setup(2, 1, away),
  setup(4, 1, away),
  setup(1, 1, awayWithLittle),
  setup(2, 1, awayWithLittle),
  setup(4, 1, awayWithLittle),
  setup(1, 1, far),
  setup(2, 1, far),
  setup(4, 1, far),
];
