import { expect, test } from "@jest/globals";
import { loadModulesThenBoot } from "./load-modules.ts";

test("the expression that loads the modules of RabbitMQ has no blanks, at which its script would take it apart", () => {
  const [flag, expression, ...boot] = loadModulesThenBoot.split(" ");
  expect([flag, ...boot]).toEqual(["-eval", "-s", "rabbit", "boot"]);
  expect(expression).toMatch(/^\(catch\(.*\|\|D<-.*,F<-.*\)\)\)\.$/);
});
