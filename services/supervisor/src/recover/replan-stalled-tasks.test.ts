import type { Logger } from "@holdfast/runtime";
import type { ReportedTaskEvent, StalledTasks } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { replanStalledTasks } from "./replan-stalled-tasks.ts";

function sweeping(looks: readonly StalledTasks[]) {
  const asked: (string | null)[] = [];
  const replanned: string[] = [];
  const logged: unknown[] = [];
  const look = replanStalledTasks({
    replanned: () => {},
    store: {
      findStalledTasks: async ({ after }) => {
        asked.push(after);
        return looks[asked.length - 1]!;
      },
      applyEvents: async (reportedEvents: readonly ReportedTaskEvent[]) => {
        replanned.push(...reportedEvents.map(({ taskId, event }) => `${event.kind} ${taskId}`));
        const outcomes = reportedEvents.map(({ taskId }) =>
          taskId === "patient"
            ? ({ applied: false, reason: "nothing_to_do" } as const)
            : ({ applied: true, changes: [] } as const),
        );
        return { outcomes, tasks: [], claims: null, obsoleteAttempts: [], hasNotifications: false };
      },
    },
    log: { error: (fields: unknown) => void logged.push(fields) } as Partial<Logger> as Logger,
    actor: "supervisor-1",
  });
  return { look, asked, replanned, logged };
}

test("the sweep continues after the last task that it checked, and restarts at the end", async () => {
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

test("the sweep plans a stalled task anew and logs an error, wherever it finds it", async () => {
  const { look, replanned, logged } = sweeping([
    { taskIds: ["17"], next: "500" },
    { taskIds: ["501", "502"], next: null },
  ]);
  await look();
  await look();
  expect(replanned).toEqual(["replanned 17", "replanned 501", "replanned 502"]);
  expect(logged).toEqual([{ taskIds: ["17"] }, { taskIds: ["501", "502"] }]);
});

test("the sweep does not log a task that has a reason to wait", async () => {
  const { look, logged } = sweeping([{ taskIds: ["patient", "17"], next: null }]);
  await look();
  expect(logged).toEqual([{ taskIds: ["17"] }]);
});

test("the sweep logs nothing if it finds no stalled task", async () => {
  const { look, replanned, logged } = sweeping([{ taskIds: [], next: null }]);
  await look();
  expect([...replanned, ...logged]).toEqual([]);
});
