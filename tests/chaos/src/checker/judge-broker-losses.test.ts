import { expect, test } from "@jest/globals";
import { judge } from "./judge.ts";
import { alter, cleanEvidence, processed } from "./testing.ts";

test.each([
  ["in a wiped broker", { class: "broker-wiped" }],
  [
    "in a queue that lost its leader",
    { class: "broker-killed", target: "leaderless: task.submissions" },
  ],
])("an order by message that was %s is forfeited, and not lost", (_, fault) => {
  const { history, tasks, faults, ...rest } = cleanEvidence();
  const verdict = judge({
    ...rest,
    history: alter(history, () => true, { via: "message" }),
    tasks: tasks.filter(({ taskId }) => taskId !== processed),
    faults: [...faults, { ...faults[0]!, from: 0, healedAt: 9_000_000, ...fault }],
  });
  expect(verdict).toMatchObject({ lost: 0, forfeited: 1 });
});

const wiped = { class: "broker-wiped" };
const leaderless = { class: "broker-killed", target: "rabbitmq, leaderless: status.client" };
test.each([
  ["are lost with a wiped broker until their queue is declared again", wiped, 9_000_000, 0],
  ["are lost with a leaderless queue until it is declared again", leaderless, 9_000_000, 0],
  ["are missed if their queue had been declared again before", wiped, 2, 1],
  ["are missed if a killed broker kept their queue", { class: "broker-killed" }, 9_000_000, 1],
])("statuses of an order %s", (_, fault, queueBackAt, violations) => {
  const { faults, statuses, ...rest } = cleanEvidence();
  const verdict = judge({
    ...rest,
    statuses: statuses.slice(1),
    statusQueueSeen: [0, queueBackAt],
    faults: [...faults, { ...faults[0]!, from: 0, healedAt: 1, ...fault }],
  });
  expect(verdict.violations.map(({ invariant }) => invariant)).toEqual(
    Array.from({ length: violations }, () => "I13"),
  );
});
