import { expect, test } from "@jest/globals";
import { approvalPath, readRoute, schedulePath, taskPath } from "./routes.ts";

test.each([
  ["/", { page: "overview" }],
  ["/tasks", { page: "tasks" }],
  ["/tasks/", { page: "tasks" }],
  ["/tasks/01a1", { page: "task", id: "01a1" }],
  ["/agents/pay%2Fments", { page: "agents", rest: "pay/ments" }],
  ["/schedules", { page: "schedules", rest: "" }],
  ["/schedules/settle-night", { page: "schedules", rest: "settle-night" }],
  ["/system/dead-letters", { page: "system", rest: "dead-letters" }],
  ["/approvals", { page: "approvals" }],
  ["/approvals/01a1/release", { page: "approval", id: "01a1", step: "release" }],
  ["/approvals/01a1", { page: "unknown" }],
  ["/gone", { page: "unknown" }],
  ["/tasks/%E0%A4%A", { page: "unknown" }],
  ["/__proto__", { page: "unknown" }],
])("%s is %j", (path, route) => {
  expect(readRoute(path)).toEqual(route);
});

test.each([
  "/failures",
  "/agents/hotels",
  "/workflows/trip.v1",
  "/tasks?state=open",
  "/system",
  "/system/dead-letters",
  "/system/doctor",
])("%s, which the overview links to, is a page", (page) => {
  expect(readRoute(page.replace(/\?.*/, "")).page).not.toBe("unknown");
});

test("an id with any characters leads to its task", () => {
  const id = "../<script>?#%";
  expect(readRoute(taskPath(id))).toEqual({ page: "task", id });
  const step = "a/../b?#%2F";
  expect(readRoute(schedulePath(id))).toEqual({ page: "schedules", rest: id });
  expect(readRoute(approvalPath(id, step))).toEqual({ page: "approval", id, step });
});
