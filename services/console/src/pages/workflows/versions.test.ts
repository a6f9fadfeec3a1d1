import { expect, test } from "@jest/globals";
import { familiesOf, splitName } from "./versions.ts";

test("versions of one workflow stand together, the newest first, by number and not by letter", () => {
  const named = (name: string) => ({ name });
  const families = familiesOf(["ship.v2", "book", "ship.v10", "ship.v1"].map(named));
  expect(families.map(({ name, versions }) => [name, versions.map((one) => one.name)])).toEqual([
    ["book", ["book"]],
    ["ship", ["ship.v10", "ship.v2", "ship.v1"]],
  ]);
});

test.each(["ship", "ship.v", "ship.v0", ".v1", "ship.v1x", "__proto__"])(
  "a name such as %s without a version is a family of its own",
  (name) => {
    expect(splitName(name)).toEqual({ family: name, version: 0 });
    expect(familiesOf([{ name }])).toHaveLength(1);
  },
);
