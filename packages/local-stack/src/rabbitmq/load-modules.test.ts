import { expect, test } from "@jest/globals";
import { loadModulesThenBoot } from "./load-modules.ts";

test("the expression that loads the modules of RabbitMQ has no blanks, at which its script would take it apart", () => {
  const [flag, expression, ...boot] = loadModulesThenBoot.split(" ");
  expect([flag, ...boot]).toEqual(["-eval", "-s", "rabbit", "boot"]);
  const load = String.raw`\(catch\(code:ensure_modules_loaded\(\[.*\|\|D<-.*,F<-.*\]\)\)\)`;
  const mark = String.raw`\(catch\(file:write_file\(os:getenv\("HOLDFAST_LOADED"\),""\)\)\)`;
  expect(expression).toMatch(new RegExp(`^${load},${mark},${load}\\.$`));
});
