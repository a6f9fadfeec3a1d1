import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  asOperator,
  type OperatedService,
  openOperated,
  recorded,
  token,
} from "../test/operated.ts";

let operated: OperatedService;

beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});

const list = async () => {
  const headers = { authorization: `Bearer ${token}` };
  const { items } = (await operated.app.inject({ url: "/v1/remotes", headers })).json<{
    items: readonly { readonly name: string }[];
  }>();
  return items;
};

test("a remote service is held and released, with the operator and the reason", async () => {
  const path = "/v1/remotes/notifications";
  expect(await list()).toContainEqual(
    expect.objectContaining({
      name: "notifications",
      breaker: "closed",
      agents: ["notifications"],
    }),
  );
  expect((await operated.act(`${path}/hold`, asOperator)).statusCode).toBe(204);
  expect((await operated.act(`${path}/hold`, asOperator)).json()).toMatchObject({
    status: 409,
    code: "breaker.held",
  });
  expect(await list()).toContainEqual(
    expect.objectContaining({ name: "notifications", breaker: "open", held: true, ...recorded }),
  );
  expect((await operated.act(`${path}/release`, asOperator)).statusCode).toBe(204);
  expect((await operated.act(`${path}/release`, asOperator)).json()).toMatchObject({
    status: 409,
    code: "breaker.closed",
  });
});

test.each(["hold", "release"])(
  "to %s an unknown remote service is refused, with names like it",
  async (verb) => {
    expect((await operated.act(`/v1/remotes/paymnets/${verb}`, asOperator)).json()).toMatchObject({
      status: 404,
      code: "breaker.unknown",
      detail: expect.stringContaining("payments"),
    });
  },
);

test("a remote service is held by operators only, and not without a reason", async () => {
  const url = "/v1/remotes/payments/hold";
  expect((await operated.app.inject({ method: "POST", url, payload: asOperator })).statusCode).toBe(
    401,
  );
  expect((await operated.app.inject({ url: "/v1/remotes" })).statusCode).toBe(401);
  expect((await operated.act(url, { actor: "ann" })).json()).toMatchObject({
    status: 422,
    code: "request.invalid",
  });
});
