import { expect, test } from "@jest/globals";
import { quickBoot } from "./quick-boot.ts";

test.each([true, false])(
  "the expression for a node that is alone (%s) has no blanks, at which RabbitMQ's script would take it apart",
  (isAlone) => {
    const [flag, expression, ...boot] = quickBoot({ isAlone }).split(" ");
    expect([flag, ...boot]).toEqual(["-eval", "-s", "rabbit", "boot"]);
    const parts = ["application:load", "ensure_modules_loaded", "HOLDFAST_LOADED"];
    for (const part of parts) expect(expression).toContain(part);
    expect(expression?.endsWith(".")).toBe(true);
  },
);

test("a node that is not alone holds its elections when it wants", () => {
  expect(quickBoot({ isAlone: true })).toContain("trigger_election");
  expect(quickBoot({ isAlone: false })).not.toContain("trigger_election");
});
