import type { Logger } from "@holdfast/runtime";
import type { Incident, StalledTasks } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { replanStalledTasks } from "./replan-stalled-tasks.ts";

function sweeping(looks: readonly StalledTasks[]) {
  const asked: (string | null)[] = [];
  const replanned: string[] = [];
  const logged: unknown[] = [];
  const look = replanStalledTasks({
    store: {
      findStalledTasks: async ({ after }) => {
        asked.push(after);
        return looks[asked.length - 1]!;
      },
      applyIncidents: async (incidents: readonly Incident[]) => {
        replanned.push(...incidents.map(({ taskId, event }) => `${event.kind} ${taskId}`));
        const outcomes = incidents.map(({ taskId }) =>
          taskId === "patient"
            ? ({ applied: false, reason: "nothing_to_do" } as const)
            : ({ applied: true, changes: [] } as const),
        );
        return { outcomes, tasks: [], claims: null, needless: [], told: false };
      },
    },
    log: { error: (fields: unknown) => void logged.push(fields) } as Partial<Logger> as Logger,
    actor: "supervisor-1",
  });
  return { look, asked, replanned, logged };
}

test("it goes on where it stopped, and begins again after the last", async () => {
  const { look, asked } = sweeping([
    { taskIds: [], next: "500" },
    { taskIds: [], next: "999" },
    { taskIds: [], next: null },
    { taskIds: [], next: "501" },
  ]);
  expect([await look(), await look(), await look(), await look()]).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(asked).toEqual([null, "500", "999", null]);
});

test("what it finds is planned anew and logged as an error, wherever it finds it", async () => {
  const { look, replanned, logged } = sweeping([
    { taskIds: ["17"], next: "500" },
    { taskIds: ["501", "502"], next: null },
  ]);
  await look();
  await look();
  expect(replanned).toEqual(["replanned 17", "replanned 501", "replanned 502"]);
  expect(logged).toEqual([{ taskIds: ["17"] }, { taskIds: ["501", "502"] }]);
});

test("a task that turns out to have something to wait for is not logged", async () => {
  const { look, logged } = sweeping([{ taskIds: ["patient", "17"], next: null }]);
  await look();
  expect(logged).toEqual([{ taskIds: ["17"] }]);
});

test("nothing is said about nothing", async () => {
  const { look, replanned, logged } = sweeping([{ taskIds: [], next: null }]);
  await look();
  expect([...replanned, ...logged]).toEqual([]);
});
