import { expect, test } from "@jest/globals";
import { readDevOptions } from "./options.ts";

test("holdfast dev begins at port 3000 and keeps its data, unless its options say otherwise", () => {
  expect(readDevOptions([])).toEqual({
    fresh: false,
    help: false,
    takesOver: false,
    port: 3_000,
  });
  expect(readDevOptions(["--fresh", "--port", "4100"])).toMatchObject({ fresh: true, port: 4_100 });
  expect(readDevOptions(["--take-over"])).toMatchObject({ takesOver: true });
});

test.each([
  [["--port", "eighty"], "--port must be a number from 1 to 65535, and is eighty."],
  [["--port", "70000"], "--port must be a number"],
  [["--fast"], "--fast"],
  [["shop"], "shop"],
])("holdfast dev refuses %j in a sentence", (args, sentence) => {
  expect(() => readDevOptions(args)).toThrow(sentence);
});
