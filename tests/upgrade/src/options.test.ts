import { expect, test } from "@jest/globals";
import { readOptions } from "./options.ts";

test("a run without options takes ten minutes, names no release and is written down", () => {
  expect(readOptions([])).toMatchObject({ from: null, seconds: 600, rate: 10, page: true });
});

test("a run takes the release, its length and its seed from the command line", () => {
  const args = ["--from", "v1.2.0", "--seconds", "30", "--seed", "7", "--no-page", "--json"];
  expect(readOptions(args)).toEqual({
    from: "v1.2.0",
    rabbitmq: null,
    seconds: 30,
    rate: 10,
    seed: 7,
    page: false,
    json: true,
  });
});

test("a run moves to another RabbitMQ, or comes from another release, and not both", () => {
  expect(readOptions(["--rabbitmq", "4.0"])).toMatchObject({ from: null, rabbitmq: "4.0" });
  expect(() => readOptions(["--rabbitmq", "4.0", "--from", "v1"])).toThrow("not both");
});

test.each([
  ["--seconds", "0"],
  ["--seconds", "1.5"],
  ["--seed", "x"],
  ["--from", ""],
  ["--from=--all", ""],
])("%s %s is refused by its name", (name, value) => {
  expect(() => readOptions([name, value].filter((arg) => arg !== ""))).toThrow(/--|argument/);
});
