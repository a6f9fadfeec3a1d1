import { setFaultSettings } from "@holdfast/processes";
import type { Bench } from "../bench.ts";
import { echoing } from "../system/echo-agent.ts";
import { halting, patient, quick } from "../system/workflows.ts";
import { unreleasedOrder } from "./approvals.ts";
import { askSchedules } from "./schedules.ts";

export type Seeded = Awaited<ReturnType<typeof seed>>;

/** It fires once in four years, and not while these tests run. */
const greeting = {
  workflow: echoing.name,
  cron: "0 0 29 2 *",
  zone: "Europe/Budapest",
  input: { text: { $ref: "/schedule/date" }, fails: false },
};
const byHand = { actor: "ada", reason: "to see it" };

/** A task of each kind, and a schedule, so that each page has something to show. */
export async function seed(bench: Bench) {
  const { at } = bench;
  const { system } = at;
  await setFaultSettings(system, "notifications", { errorRate: 1 });
  const waiting = await at.order(patient.name, "good", 1);
  const undone = await at.order(quick.name, "unshippable", 2);
  const halted = await at.order(halting.name, "unshippable", 3);
  const [echoed = ""] = await at.submit(echoing.name, [{ text: "hello", fails: false }]);
  await at.reaches(undone, "undone");
  await at.reaches(halted, "halted");
  await at.reaches(echoed, "processed");
  const unreleased = await unreleasedOrder(bench, 4);
  await askSchedules(bench, "PUT", { path: "greet", body: greeting });
  await askSchedules(bench, "POST", { path: "greet/fire", body: byHand });
  return { unreleased, waiting, undone, halted, echoed };
}
