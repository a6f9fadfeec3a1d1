import { openHealth, overload } from "@holdfast/runtime";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { openHttp } from "./open-http.ts";

/** The real server on a real socket, without a store: nothing here comes so far. */
const resources = new AsyncDisposableStack();
let url: string;
let lines: { readonly msg: string; readonly requestId?: string }[] = [];
beforeAll(async () => {
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const app = resources.use(openHttp(openHealth(new AbortController().signal), log));
  app.refuseEarly({ method: "POST", isMeant: () => true, isOverloaded: () => true });
  app.get("/fails", async () => {
    throw new Error("unforeseen");
  });
  app.get("/is-full", async () => {
    throw overload;
  });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => resources.disposeAsync());

const ask = async (path: string, id: string, method = "GET") => {
  lines = [];
  const answer = await fetch(`${url}${path}`, { method, headers: { "x-request-id": id } });
  const body = (await answer.json()) as { readonly requestId?: string };
  return { header: answer.headers.get("x-request-id"), body: body.requestId };
};

test.each([
  ["/fails", "GET", "request failed"],
  ["/is-full", "GET", "requests refused"],
])("%s is found in the log by the id of its answer", async (path, method, message) => {
  expect(await ask(path, "mine-1", method)).toEqual({ header: "mine-1", body: "mine-1" });
  expect(lines.map(({ msg, requestId }) => [msg, requestId])).toEqual([[message, "mine-1"]]);
});

test("what is refused before the framework sees it has an id, too", async () => {
  expect(await ask("/any", "mine-2", "POST")).toEqual({ header: "mine-2", body: "mine-2" });
});

test.each(["x".repeat(129), "two words", "\u009b2J"])(
  "the hostile id %p comes back nowhere",
  async (id) => {
    const { header, body } = await ask("/fails", id);
    expect(header).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).toBe(header);
    expect(lines.map(({ requestId }) => requestId)).toEqual([header]);
    expect(JSON.stringify(lines)).not.toContain(id);
  },
);
