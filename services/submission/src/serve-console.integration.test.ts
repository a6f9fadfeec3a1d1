import { expect, test } from "@jest/globals";
import { fastify } from "fastify";
import { serveConsole } from "./serve-console.ts";

const open = (options: Parameters<typeof serveConsole>[1]) => {
  const http = fastify();
  http.get("/v1/pauses", async () => ({ items: [] }));
  serveConsole(http, options);
  return http;
};

test.each(["all", "operations"] as const)(
  "a service with the role %s serves the console",
  async (role) => {
    await using http = open({ isOn: true, role });
    const page = await http.inject("/console/tasks/01a1");
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
    expect(page.body).toContain('<div id="root">');
  },
);

test.each([
  ["that is set to off", { isOn: false, role: "all" }],
  ["that only takes tasks", { isOn: true, role: "tasks" }],
] as const)("a service %s does not serve the console", async (_, options) => {
  await using http = open(options);
  expect((await http.inject("/console/")).statusCode).toBe(404);
});

test("the policy of the console is not that of the API", async () => {
  await using http = open({ isOn: true, role: "all" });
  const answer = await http.inject("/v1/pauses");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).not.toHaveProperty("content-security-policy");
});
