import { expect, test } from "@jest/globals";
import { locateError } from "./locate-error.ts";

/** An error with this stack. */
const thrown = (...frames: readonly string[]) =>
  Object.assign(new Error("no"), { stack: ["Error: no", ...frames].join("\n") });

test.each([
  ["a path", "/shop", "    at run (/shop/workflows/w.ts:3:5)", "workflows/w.ts:3"],
  [
    "a URL",
    "/my shöp (1)",
    "    at file:///my%20sh%C3%B6p%20(1)/workflows/w.ts:3:5",
    "workflows/w.ts:3",
  ],
  ["a path with spaces", "/my shop", "    at async Promise.all (/my shop/a/w.ts:7:1)", "a/w.ts:7"],
  [
    "a path of Windows",
    "C:\\shop",
    "    at run (C:\\shop\\workflows\\w.ts:3:5)",
    "workflows\\w.ts:3",
  ],
  ["a path alone", "C:\\shop", "C:\\shop\\workflows\\w.ts:3", "workflows\\w.ts:3"],
  ["a URL of Windows", "C:\\my shop", "    at file:///C:/my%20shop/w.ts:12:1", "w.ts:12"],
])("the place of an error is found by %s", (_, folder, frame, place) => {
  const file = folder.startsWith("/") ? `${folder}/main.ts` : `${folder}\\main.ts`;
  expect(locateError(thrown(frame), file, folder)).toEqual({ message: "no", place });
});

test("the place is the first one in the project, and none in an installed package", () => {
  const error = thrown(
    "    at check (/shop/node_modules/zod/index.js:1:1)",
    "    at other (/elsewhere/x.ts:2:2)",
    "    at mine (/shop/w.ts:9:9)",
  );
  expect(locateError(error, "/shop/main.ts", "/shop").place).toBe("w.ts:9");
});

test("without a line of the project the file is named", () => {
  expect(locateError("no", "/shop/agents/a.ts", "/shop")).toEqual({
    message: "no",
    place: "agents/a.ts",
  });
});
