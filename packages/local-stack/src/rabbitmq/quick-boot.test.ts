import { expect, test } from "@jest/globals";
import { quickBoot } from "./quick-boot.ts";

test.each([true, false])(
  "the expression for a node that is alone (%s) has no blanks, at which RabbitMQ's script would take it apart",
  (isAlone) => {
    const [flag, expression, ...boot] = quickBoot({ isAlone }).split(" ");
    expect([flag, ...boot]).toEqual(["-eval", "-s", "rabbit", "boot"]);
    const load = String.raw`\(catch\(code:ensure_modules_loaded\(\[.*\|\|D<-.*,F<-.*\]\)\)\)`;
    const mark = String.raw`\(catch\(file:write_file\(os:getenv\("HOLDFAST_LOADED"\),""\)\)\)`;
    const withoutModules = String.raw`\(catch\(\[application:load\(.*\]\)\)`;
    expect(expression).toMatch(new RegExp(`^${withoutModules},${load},${mark},${load}[.,]`));
    expect(expression?.endsWith(".")).toBe(true);
  },
);

test("a node that is not alone holds its elections when it wants", () => {
  expect(quickBoot({ isAlone: true })).toContain("trigger_election");
  expect(quickBoot({ isAlone: false })).not.toContain("trigger_election");
});
