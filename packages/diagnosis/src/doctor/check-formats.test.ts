import type { UnreadFormats } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { checkFormats } from "./check-formats.ts";

const process: UnreadFormats = {
  service: "scheduler",
  instance: "scheduler-1",
  version: "0.0.9",
  workflows: 1,
  workflow: "trip.v2",
};

test("a process that cannot read stored workflows is named, with how many it cannot", () => {
  const texts = checkFormats([process, { ...process, workflows: 3 }]).map(({ text }) => text);
  expect(texts).toEqual([
    "scheduler scheduler-1 (0.0.9) cannot read trip.v2: a later release stored it",
    "scheduler scheduler-1 (0.0.9) cannot read trip.v2 and 2 other workflows: a later release stored them",
  ]);
});

test("no workflow that cannot be read is fine", () => {
  expect(checkFormats([])).toEqual([
    {
      code: "workflows.formats",
      state: "fine",
      text: "every process can read every stored workflow",
      advice: null,
    },
  ]);
});
