import type { HoldfastClient } from "@holdfast/client";
import { expect, test } from "@jest/globals";
import { taskTools } from "./task-tools.ts";
import { answer } from "./tool.ts";
import { writeTools } from "./write-tools.ts";

test("what waits for people is listed, and no tool decides it", async () => {
  const tool = taskTools.find(({ name }) => name === "list_approvals");
  if (tool === undefined) throw new Error("there is no such tool");
  expect(tool).toMatchObject({ writes: false, operations: ["listApprovals"] });
  expect(tool.description).toContain("no tool approves or rejects");
  const asked: unknown[] = [];
  const page = { items: [{ taskId: "t-1", step: "release", audience: "treasury" }], next: null };
  const client = {
    request: async (request: unknown) => {
      asked.push(request);
      return { body: page };
    },
  } as unknown as HoldfastClient;
  const { content } = await answer(tool, { audience: "treasury", mine: "true" }, client);
  expect(JSON.parse(content[0]?.text ?? "")).toEqual(page);
  expect(asked).toMatchObject([
    { method: "GET", path: "/v1/approvals", query: { audience: "treasury", mine: "true" } },
  ]);
  const all = [...taskTools, ...writeTools].flatMap(({ operations }) => operations);
  expect(all).not.toContain("decideApproval");
});
