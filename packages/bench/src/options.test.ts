import { describe, expect, test } from "@jest/globals";
import { readOptions } from "./options.ts";

describe("the options of the benchmark", () => {
  test("are those of a run of Holdfast alone unless something else is asked for", () => {
    expect(readOptions([])).toMatchObject({ mode: "alone", rounds: 3, orders: 5_000, only: null });
  });

  test("have fewer orders and more rounds beside peers", () => {
    expect(readOptions(["--peers"])).toMatchObject({ mode: "peers", rounds: 5, orders: 5_000 });
  });

  test("ask for one thing at a time", () => {
    expect(readOptions(["--trace"])).toMatchObject({ mode: "trace", orders: 300 });
    expect(() => readOptions(["--trace", "--peers"])).toThrow("exclude each other");
    expect(() => readOptions(["--scale", "--submission"])).toThrow("exclude each other");
  });

  test("fill a store to the brim, and less when asked to", () => {
    const full = { pending: 1_000_000, finished: 20_000_000, hold: 600 };
    expect(readOptions(["--flat"])).toMatchObject({ mode: "flat", ...full });
    const args = ["--flat", "--pending", "10", "--finished", "20", "--hold", "0"];
    expect(readOptions(args)).toMatchObject({ pending: 10, finished: 20, hold: 0 });
  });

  test("load steadily at a part of what can be done", () => {
    const usual = { mode: "steady", minutes: 30, load: 0.6 };
    expect(readOptions(["--steady"])).toMatchObject(usual);
    const args = ["--steady", "--minutes", "2", "--load", "0.5"];
    expect(readOptions(args)).toMatchObject({ minutes: 2, load: 0.5 });
    expect(() => readOptions(["--steady", "--load", "60"])).toThrow("--load must be above 0");
  });

  test("migrate a store of two million orders", () => {
    expect(readOptions(["--migrate"])).toMatchObject({ mode: "migrate", finished: 2_000_000 });
  });

  test("can be said", () => {
    const args = ["--peers", "--rounds", "2", "--orders", "10", "--only", "dbos,pgBoss", "--json"];
    expect(readOptions(args)).toMatchObject({
      rounds: 2,
      orders: 10,
      only: ["dbos", "pgBoss"],
      json: true,
    });
  });

  test("are quick with one round", () => {
    expect(readOptions(["--quick"]).rounds).toBe(1);
  });

  test.each(["0", "-1", "1.5", "many"])("refuse %s rounds", (rounds) => {
    expect(() => readOptions([`--rounds=${rounds}`])).toThrow("--rounds must be a whole number");
  });
});
