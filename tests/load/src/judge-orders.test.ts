import { expect, test } from "@jest/globals";
import { type Effect, faultOf, type JudgedOrder } from "./judge-orders.ts";

const step = (name: string, processState: string, attempt = 1): JudgedOrder["steps"][number] => ({
  name,
  kind: name.endsWith(":undo") ? "undo" : "call",
  processState,
  attempt,
});

const resources: Readonly<Record<string, string>> = {
  reserve: "reservations",
  charge: "charges",
  ship: "shipments",
};

const effects = (...names: readonly string[]): readonly Effect[] =>
  names.map((name) => ({
    partner: "partner",
    resource: resources[name] ?? "",
    key: `task:${name}:do`,
    applied: 1,
    undone: 0,
    net: 1,
  }));

const halted = (...steps: JudgedOrder["steps"]): JudgedOrder => ({ state: "halted", steps });

test.each<[string, JudgedOrder, readonly Effect[]]>([
  [
    "processed with all effects",
    { state: "processed", steps: [] },
    effects("reserve", "charge", "ship"),
  ],
  ["undone with none", { state: "undone", steps: [] }, []],
  ["not ended", { state: "processing", steps: [] }, effects("reserve")],
  [
    "halted with the effects of its processed steps",
    halted(step("reserve", "processed"), step("charge", "error"), step("ship", "waiting", 0)),
    effects("reserve"),
  ],
  [
    "halted by a step of which it is unknown whether it had its effect",
    halted(step("reserve", "processed"), step("charge", "error")),
    effects("reserve", "charge"),
  ],
  [
    "halted by an undo that failed, while another undo is done",
    halted(
      step("reserve", "processed"),
      step("charge", "processed"),
      step("reserve:undo", "processed"),
      step("charge:undo", "error"),
    ),
    effects("charge"),
  ],
])("an order that is %s is right", (_, order, found) => {
  expect(faultOf(order, found)).toBeNull();
});

test.each<[string, JudgedOrder, readonly Effect[], string]>([
  ["unknown", { state: "unknown", steps: [] }, [], "accepted, but unknown to the state store"],
  [
    "processed without a charge",
    { state: "processed", steps: [] },
    effects("reserve", "ship"),
    "charges",
  ],
  ["undone with a charge left", { state: "undone", steps: [] }, effects("charge"), "charges"],
  [
    "halted without the effect of a processed step",
    halted(step("reserve", "processed"), step("charge", "error")),
    [],
    "reserve (processed, undo waiting) has 0 effects",
  ],
  [
    "halted with the effect of a step that was never begun",
    halted(step("reserve", "processed"), step("ship", "waiting", 0)),
    effects("reserve", "ship"),
    "ship (waiting, undo waiting) has 1 effects",
  ],
  [
    "halted with an effect left that was undone",
    halted(step("charge", "processed"), step("charge:undo", "processed")),
    effects("charge"),
    "charge (processed, undo processed) has 1 effects",
  ],
])("an order that is %s is lost", (_, order, found, why) => {
  expect(faultOf(order, found)).toContain(why);
});
