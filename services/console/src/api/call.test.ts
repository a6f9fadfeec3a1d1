import { expect, test } from "@jest/globals";
import { call } from "./call.ts";

const who = { actor: "ada", reason: "why" };

/** Calls that the compiler reads, and that never run. */
function refused(unknown: Readonly<Record<string, unknown>>, shared: object) {
  // @ts-expect-error the document has no such path
  call("get", "/v1/task", {});
  // @ts-expect-error the path takes no GET
  call("get", "/v1/tasks/{id}/cancel", { path: { id: "a" } });
  // @ts-expect-error a place of the path is missing
  call("get", "/v1/tasks/{id}", {});
  // @ts-expect-error a page is asked for by limit and after
  call("post", "/v1/tasks/search", { body: { filter: {}, page: { limit: 1 } } });
  const inOldShape = { filter: {}, page: { limit: 1 } };
  // @ts-expect-error also where the body was made before
  call("post", "/v1/tasks/search", { body: inOldShape });
  // @ts-expect-error whatever it may hold
  call("post", "/v1/tasks/search", { body: unknown });
  // @ts-expect-error the query has no cursor
  call("get", "/v1/pauses", { query: { cursor: "x" } });
  // @ts-expect-error a limit is a number
  call("get", "/v1/pauses", { query: { limit: "20" } });
  // @ts-expect-error the version is in If-Match
  call("post", "/v1/tasks/{id}/cancel", { path: { id: "a" }, body: { ...who, version: 3 } });
  // @ts-expect-error a reason is required
  call("post", "/v1/tasks/{id}/cancel", { path: { id: "a" }, body: { actor: "ada" } });
  // @ts-expect-error a GET has no body
  call("get", "/v1/pauses", { body: shared });
}

test("a request of the document becomes its method, its path, its query and its body", () => {
  expect(typeof refused).toBe("function");
  expect(call("get", "/v1/pauses", { query: { limit: 20 } })).toEqual({
    method: "GET",
    path: "/v1/pauses",
    query: { limit: 20 },
  });
  expect(
    call("post", "/v1/tasks/{id}/cancel", {
      path: { id: "a/../b?c#d" },
      headers: { "if-match": '"3"' },
      body: who,
    }),
  ).toEqual({
    method: "POST",
    path: "/v1/tasks/a%2F..%2Fb%3Fc%23d/cancel",
    headers: { "if-match": '"3"' },
    body: who,
  });
});
