/** A step as the graph needs it. */
export interface GraphStep {
  readonly name: string;
  readonly after: readonly string[];
}

export interface PlacedStep {
  readonly name: string;
  /** The column from the left: each step stands right of all that it comes after. */
  readonly column: number;
  /** The row from the top. */
  readonly row: number;
}

interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface GraphLayout {
  readonly steps: readonly PlacedStep[];
  readonly edges: readonly GraphEdge[];
  readonly columns: number;
  readonly rows: number;
}

/**
 * Places steps in columns by what they come after, and orders each column so that few lines cross.
 */
export function layOutGraph(steps: readonly GraphStep[]): GraphLayout {
  const known = new Map(steps.map((step) => [step.name, step]));
  const columnOf = columnsOf(known);
  const edges = directEdges(known);
  const columns: string[][] = [];
  for (const name of known.keys()) (columns[columnOf.get(name) ?? 0] ??= []).push(name);
  const ordered = orderColumns(columns, edges);
  const rows = Math.max(0, ...ordered.map((names) => names.length));
  const placed = ordered.flatMap((names, column) =>
    // A short column stands in the middle of the picture.
    names.map((name, index) => ({ name, column, row: index + (rows - names.length) / 2 })),
  );
  return { steps: placed, edges, columns: ordered.length, rows };
}

/**
 * The length of the longest way to each step. A circle, which no stored workflow has, ends where it
 * began.
 */
function columnsOf(known: ReadonlyMap<string, GraphStep>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const open = new Set<string>();
  const visit = (name: string): number => {
    const before = found.get(name);
    if (before !== undefined) return before;
    if (open.has(name)) return 0;
    open.add(name);
    const earlier = (known.get(name)?.after ?? []).filter((one) => known.has(one));
    const column = earlier.length === 0 ? 0 : Math.max(...earlier.map(visit)) + 1;
    open.delete(name);
    found.set(name, column);
    return column;
  };
  for (const name of known.keys()) visit(name);
  return found;
}

/** The lines of the picture: one that only repeats a longer way is left out. */
function directEdges(known: ReadonlyMap<string, GraphStep>): readonly GraphEdge[] {
  const allBefore = memoized((name: string, recur): ReadonlySet<string> => {
    const direct = (known.get(name)?.after ?? []).filter((one) => known.has(one));
    return new Set(direct.flatMap((one) => [one, ...recur(one)]));
  });
  return [...known.values()].flatMap(({ name, after }) => {
    const direct = [...new Set(after)].filter((one) => known.has(one));
    return direct
      .filter((one) => !direct.some((other) => other !== one && allBefore(other).has(one)))
      .map((from) => ({ from, to: name }));
  });
}

function memoized(
  compute: (name: string, recur: (name: string) => ReadonlySet<string>) => ReadonlySet<string>,
): (name: string) => ReadonlySet<string> {
  const found = new Map<string, ReadonlySet<string>>();
  const recur = (name: string): ReadonlySet<string> => {
    const before = found.get(name);
    if (before !== undefined) return before;
    found.set(name, new Set());
    const value = compute(name, recur);
    found.set(name, value);
    return value;
  };
  return recur;
}

/** Sorts each column by where the neighbours of its steps stand, a few times to and fro. */
function orderColumns(
  columns: readonly (readonly string[])[],
  edges: readonly GraphEdge[],
): readonly (readonly string[])[] {
  let ordered = columns.map((names) => [...names]);
  for (let round = 0; round < 4; round += 1) {
    const places = new Map(
      ordered.flatMap((names) =>
        names.map((name, index) => [name, index - (names.length - 1) / 2] as const),
      ),
    );
    const weigh = neighboursWeight(edges, places, round % 2 === 0);
    ordered = ordered.map((names) =>
      names
        .map((name) => ({ name, weight: weigh(name) }))
        .toSorted((one, other) => one.weight - other.weight)
        .map(({ name }) => name),
    );
  }
  return ordered;
}

function neighboursWeight(
  edges: readonly GraphEdge[],
  places: ReadonlyMap<string, number>,
  isForward: boolean,
): (name: string) => number {
  const neighbours = new Map<string, number[]>();
  for (const { from, to } of edges) {
    const [name, neighbour] = isForward ? [to, from] : [from, to];
    const place = places.get(neighbour);
    if (place !== undefined) neighbours.set(name, [...(neighbours.get(name) ?? []), place]);
  }
  return (name) => {
    const found = neighbours.get(name) ?? [];
    if (found.length === 0) return places.get(name) ?? 0;
    return found.reduce((sum, place) => sum + place, 0) / found.length;
  };
}
