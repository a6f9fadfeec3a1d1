import { expect, test } from "@jest/globals";
import { publicName } from "./public-names.ts";

test("the name of a process shows its service, but neither host nor process id", () => {
  const name = publicName("scheduler-build-host-7.example-4711-3fa2b1");
  expect(name).toMatch(/^scheduler-[0-9a-f]{8}$/);
  expect(publicName("scheduler-build-host-7.example-4711-3fa2b1")).toBe(name);
  expect(publicName("scheduler-build-host-7.example-4711-3fa2b2")).not.toBe(name);
});

test.each([
  "operator:scheduler-build-host-7.example-4711-3fa2b1",
  "ann",
  "ann-maria",
  "shop.checkout",
  "jean-luc-1",
])("%s stays as it is", (name) => {
  expect(publicName(name)).toBe(name);
});
