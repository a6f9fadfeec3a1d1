import { expect, test } from "@jest/globals";
import { createdFrom, readFailuresFilter } from "./read-failures-filter.ts";

test("the filter stands in the URL, and what is not understood there counts as absent", () => {
  const read = (query: string) => readFailuresFilter(new URLSearchParams(query));
  expect(read("within=1h&workflow=a.v1&open=yes")).toEqual({
    span: "1h",
    workflow: "a.v1",
    isOpenOnly: true,
  });
  expect(read("within=__proto__&open=maybe")).toEqual({
    span: "7d",
    workflow: "",
    isOpenOnly: false,
  });
  expect(read(`workflow=${"x".repeat(10_000)}`).workflow).toHaveLength(200);
});

test("a span begins at a whole minute, and all has no beginning", () => {
  const now = Date.parse("2026-11-25T10:30:45.678Z");
  expect(createdFrom("24h", now)).toBe("2026-11-24T10:30:00.000Z");
  expect(createdFrom("all", now)).toBeUndefined();
});
