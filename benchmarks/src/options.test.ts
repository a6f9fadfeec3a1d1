import { describe, expect, test } from "@jest/globals";
import { readOptions } from "./options.ts";

describe("the options of the benchmark", () => {
  test("default to a run of Holdfast alone", () => {
    expect(readOptions([])).toMatchObject({ mode: "alone", rounds: 3, orders: 5_000, only: null });
  });

  test("have fewer orders and more rounds beside peers", () => {
    expect(readOptions(["--peers"])).toMatchObject({ mode: "peers", rounds: 5, orders: 5_000 });
  });

  test("refuse two kinds of benchmark at once", () => {
    expect(readOptions(["--trace"])).toMatchObject({ mode: "trace", orders: 300 });
    expect(() => readOptions(["--trace", "--peers"])).toThrow("exclude each other");
    expect(() => readOptions(["--scale", "--submission"])).toThrow("exclude each other");
  });

  test("fill a store completely by default, and less if an option says so", () => {
    const full = { pending: 1_000_000, finished: 20_000_000, hold: 600 };
    expect(readOptions(["--flat"])).toMatchObject({ mode: "flat", ...full });
    const args = ["--flat", "--pending", "10", "--finished", "20", "--hold", "0"];
    expect(readOptions(args)).toMatchObject({ pending: 10, finished: 20, hold: 0 });
  });

  test("have sizes for the flow", () => {
    const usual = { mode: "flow", orders: 300, pending: 100_000, keys: 200, claims: 20_000 };
    expect(readOptions(["--flow"])).toMatchObject(usual);
    const args = ["--flow", "--keys", "20", "--claims", "100", "--pending", "10"];
    expect(readOptions(args)).toMatchObject({ keys: 20, claims: 100, pending: 10 });
  });

  test("have sizes for waits", () => {
    const usual = {
      mode: "power",
      rounds: 5,
      pending: 1_000_000,
      timers: 100_000,
      signals: 20_000,
      seconds: 60,
    };
    expect(readOptions(["--power"])).toMatchObject(usual);
    const args = ["--power", "--timers", "20", "--seconds", "5"];
    expect(readOptions(args)).toMatchObject({ timers: 20, seconds: 5 });
  });

  test("kill a process each two seconds while the system is disturbed, unless it is said", () => {
    expect(readOptions(["--rollouts"])).toMatchObject({
      mode: "rollouts",
      orders: 1_000,
      kills: 2,
    });
    expect(readOptions(["--outages"])).toMatchObject({ kills: 2, longest: 40 });
    const args = ["--outages", "--kills", "0", "--longest", "600"];
    expect(readOptions(args)).toMatchObject({ kills: 0, longest: 600 });
  });

  test("run a steady load at a share of the highest rate", () => {
    const usual = { mode: "steady", minutes: 30, load: 0.6 };
    expect(readOptions(["--steady"])).toMatchObject(usual);
    const args = ["--steady", "--minutes", "2", "--load", "0.5"];
    expect(readOptions(args)).toMatchObject({ minutes: 2, load: 0.5 });
    expect(() => readOptions(["--steady", "--load", "60"])).toThrow("--load must be above 0");
  });

  test("migrate a store of two million orders", () => {
    expect(readOptions(["--migrate"])).toMatchObject({ mode: "migrate", finished: 2_000_000 });
  });

  test("name the optimisations that the services leave out", () => {
    expect(readOptions([]).without).toEqual([]);
    expect(readOptions(["--without", "taskCache,bundles"]).without).toEqual([
      "taskCache",
      "bundles",
    ]);
    expect(() => readOptions(["--flat", "--without", "bundles"])).toThrow("starts no services");
  });

  test("check and write counters only", () => {
    expect(readOptions(["--counters"])).toMatchObject({ check: false, write: false });
    expect(readOptions(["--counters", "--check"])).toMatchObject({ mode: "counters", check: true });
    expect(() => readOptions(["--check"])).toThrow("go with --counters");
    expect(() => readOptions(["--counters", "--orders", "9"])).toThrow("fixed number");
  });

  test("name a commit to compare with", () => {
    const usual = { mode: "against", against: "3a912128", rounds: 40, orders: 0 };
    expect(readOptions(["--against", "3a912128"])).toMatchObject(usual);
    expect(readOptions([])).toMatchObject({ against: null });
    expect(() => readOptions(["--against", "HEAD", "--peers"])).toThrow("exclude each other");
  });

  test("set each value that they name", () => {
    const args = ["--peers", "--rounds", "2", "--orders", "10", "--only", "dbos,pgBoss", "--json"];
    expect(readOptions(args)).toMatchObject({
      rounds: 2,
      orders: 10,
      only: ["dbos", "pgBoss"],
      json: true,
    });
  });

  test("run one round with --quick", () => {
    expect(readOptions(["--quick"]).rounds).toBe(1);
  });

  test.each(["0", "-1", "1.5", "many"])("refuse %s rounds", (rounds) => {
    expect(() => readOptions([`--rounds=${rounds}`])).toThrow("--rounds must be a whole number");
  });
});
