import { expect, test } from "@jest/globals";
import { openApi, pathOf, queryOf } from "./api.ts";
import { call } from "./call.ts";
import { openContactLog } from "./contact.ts";
import { openSession } from "./session.ts";

const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ status, code, detail: "No." }), { status });

function open(answer: (request: RequestInit | undefined) => Response | Promise<Response>) {
  const stored = new Map<string, string>([["holdfast.token", "secret"]]);
  const session = openSession({
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  });
  const contact = openContactLog(() => 1_000);
  const api = openApi({ session, contact, fetch: async (_, request) => answer(request) });
  return { api, session, contact, stored };
}
const pauses = call("get", "/v1/pauses", {});

test("a request shows the token of the session", async () => {
  const { api } = open((request) => Response.json(request?.headers));
  expect(await api.ask(pauses)).toEqual({ authorization: "Bearer secret" });
});

test("an answer 401 forgets the token and asks for one", async () => {
  const { api, session, stored } = open(() => problem(401, "auth.token_wrong"));
  await expect(api.ask(pauses)).rejects.toMatchObject({ code: "auth.token_wrong", status: 401 });
  expect(session.get()).toMatchObject({ status: "asking", token: null });
  expect(stored.has("holdfast.token")).toBe(false);
});

test("a tab with an old token asks for one, also when its address showed too many", async () => {
  const { api, session } = open(() => problem(429, "auth.too_many_tries"));
  await expect(api.ask(pauses)).rejects.toMatchObject({ status: 429 });
  expect(session.get()).toMatchObject({ status: "asking", token: null });
});

test("a link offers its token to the form, and does not sign in by itself", () => {
  const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  const offering = openSession(storage, "#token=abc-DEF_123");
  expect(offering.get()).toMatchObject({ status: "probing", token: null, offered: "abc-DEF_123" });
  offering.signIn({ token: "abc-DEF_123", actor: "ann", role: "operator" });
  expect(offering.get()).toMatchObject({ status: "ready", offered: null });
  expect(openSession(storage, "#token=<script>").get().offered).toBeNull();
});

test("a tab keeps whose token it has, until it is forgotten", () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  const session = openSession(storage, "#token=head.payload.signature_-");
  expect(session.get()).toMatchObject({ offered: "head.payload.signature_-", role: "operator" });
  session.signIn({ token: "head.payload.signature_-", actor: "ada", role: "principal" });
  expect(openSession(storage).get()).toMatchObject({ status: "ready", role: "principal" });
  session.signOut();
  expect(session.get()).toMatchObject({ status: "asking", role: "operator", token: null });
  expect(openSession(storage).get()).toMatchObject({ status: "probing", role: "operator" });
});

test("a service that does not answer, or whose store is away, counts as lost until it answers", async () => {
  let answer: () => Response = () => {
    throw new TypeError("fetch failed");
  };
  const { api, contact } = open(() => answer());
  await expect(api.ask(pauses)).rejects.toThrow("does not answer");
  expect(contact.get()).toMatchObject({ lostSince: 1_000, lastAnswerAt: null });
  answer = () => problem(503, "store.unavailable");
  await expect(api.ask(pauses)).rejects.toMatchObject({ status: 503 });
  expect(contact.get().lostSince).toBe(1_000);
  answer = () => Response.json({});
  await api.ask(pauses);
  expect(contact.get()).toMatchObject({ lostSince: null, lastAnswerAt: 1_000 });
});

test("a refusal is an answer", async () => {
  const { api, contact } = open(() => problem(409, "task.changed"));
  await expect(api.ask(pauses)).rejects.toMatchObject({ code: "task.changed" });
  expect(contact.get().lostSince).toBeNull();
});

test.each(["<html>", "null", '{"code": 1}'])(
  "a page of a proxy, %p, is no refusal",
  async (body) => {
    const { api } = open(() => new Response(body, { status: 502 }));
    await expect(api.ask(pauses)).rejects.toMatchObject({ name: "ConnectionFault" });
  },
);

test("a value is never more than one part of a path, nor of a query", () => {
  expect(pathOf`/v1/tasks/${"a/../b?c#d"}/why`).toBe("/v1/tasks/a%2F..%2Fb%3Fc%23d/why");
  expect(queryOf({ a: "1&b=2", c: undefined })).toBe("?a=1%26b%3D2");
  expect(queryOf({})).toBe("");
});
