import { expect, test } from "@jest/globals";
import { holdfastClient } from "./holdfast-client.ts";

/** A client of a service that answers so, one answer after the other; the last one stays. */
function clientOf(...answers: readonly (() => Response)[]) {
  const left = [...answers];
  const asked: object[] = [];
  const client = holdfastClient({
    url: "http://holdfast.test",
    token: "hfk_x",
    retryFor: 4_000,
    fetch: async (url, { method, body } = {}) => {
      const { pathname, search } = new URL(url);
      asked.push({
        method,
        path: `${pathname}${search}`,
        ...(typeof body === "string" ? { body: JSON.parse(body) as object } : {}),
      });
      const answer = left.length > 1 ? left.shift() : left[0];
      return answer!();
    },
  });
  return { client, asked };
}

const json = (status: number, body: object) => () => new Response(JSON.stringify(body), { status });

test("those that wait are asked for by audience, and page by page", async () => {
  const page = { items: [], next: null };
  const { client, asked } = clientOf(json(200, page));
  expect(await client.approvals.list()).toEqual(page);
  await client.approvals.list({ audience: "treasury", mine: true }, { limit: 2, after: "t1/a" });
  await client.approvals.list({ mine: false });
  expect(asked).toEqual([
    { method: "GET", path: "/v1/approvals" },
    { method: "GET", path: "/v1/approvals?audience=treasury&mine=true&limit=2&after=t1%2Fa" },
    { method: "GET", path: "/v1/approvals" },
  ]);
});

test("one is asked for by its task and its step", async () => {
  const { client, asked } = clientOf(json(200, { step: "release it" }));
  expect(await client.approvals.get("t1", "release it")).toEqual({ step: "release it" });
  expect(asked).toEqual([{ method: "GET", path: "/v1/tasks/t1/steps/release%20it/approval" }]);
});

test("a decision is sent as it is said, and again while the service is away", async () => {
  const lost = () => {
    throw new TypeError("fetch failed");
  };
  const { client, asked } = clientOf(lost, json(200, { replayed: true }));
  const said = {
    decision: "approve",
    reason: "there is room",
    form: { costCentre: "C-1" },
  } as const;
  expect(await client.approvals.decide("t1", "release", said)).toEqual({ replayed: true });
  const sent = { method: "POST", path: "/v1/tasks/t1/steps/release/decision", body: said };
  expect(asked).toEqual([sent, sent]);
});

test("a decision that is refused is thrown with what was decided", async () => {
  const decisions = [{ id: "ada", decision: "reject" }];
  const problem = {
    status: 409,
    code: "approval.over",
    title: "Conflict",
    detail: "The step release is over.",
    outcome: "rejected",
    decisions,
  };
  const { client, asked } = clientOf(json(409, problem));
  await expect(
    client.approvals.decide("t1", "release", { decision: "approve" }),
  ).rejects.toMatchObject({ code: "approval.over", status: 409 });
  expect(asked).toHaveLength(1);
});
