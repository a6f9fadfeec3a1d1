import { type Comparison, compare, type Figures, type Round } from "./comparison.ts";
import { holdfast, peers } from "./contenders.ts";

const figures = (scale: number): Figures => ({
  backlog: 1_000 * scale,
  inFlight: 800 * scale,
  loneP50: 20 / scale,
  loneP99: 32 / scale,
  cpu: { load: 0.1 / scale, postgres: 0.3 / scale },
});

/** Three rounds, in each of which the machine is of another speed, and the peer half as good. */
const rounds: readonly Round[] = [1, 0.1, 2].map((speed) => ({
  holdfast: figures(speed),
  dbos: figures(speed / 2),
}));

/** A comparison with one peer, for tests of what is made of it. */
export const sample: Comparison = compare({
  setting: {
    date: "2026-11-21",
    machine: "2 cores (test)",
    versions: { node: "24.11.0" },
    rounds: 3,
    orders: 3_000,
    loneOrders: 300,
  },
  contenders: [holdfast, ...peers.filter(({ name }) => name === "dbos")],
  rounds,
});
