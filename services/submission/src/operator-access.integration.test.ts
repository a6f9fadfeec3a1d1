import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { halted } from "../test/halted-bookings.ts";
import { asOperator, type OperatedService, openOperated, token } from "../test/operated.ts";

let operated: OperatedService;

beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});
beforeEach(() => operated.forgetHints());

describe("access to operator routes", () => {
  test.each([
    ["a request without a token", "", "auth.token_missing"],
    ["a request with another token", "Bearer something-else", "auth.token_wrong"],
    ["a request with the token, but not as one", token, "auth.token_missing"],
  ])("is refused to %s", async (_, authorization, code) => {
    const booking = await operated.submit();
    const response = await operated.act(`/v1/tasks/${booking.id}/cancel`, asOperator, {
      authorization,
      "if-match": '"1"',
    });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ code });
    expect(await operated.show(booking.id)).toEqual(booking);
  });

  test("is refused to all if no token is set, whatever they send", async () => {
    await using closed = operated.openApp(null);
    const response = await closed.inject({
      method: "POST",
      url: "/v1/agents/payments/pause",
      headers: { authorization: "Bearer null" },
      payload: asOperator,
    });
    expect(response.statusCode).toBe(403);
    expect(response.json()).toMatchObject({ code: "auth.disabled" });
  });
});

describe("a text that cannot be stored is refused with 422,", () => {
  test.each([
    ["a NUL in the actor", { ...asOperator, actor: "a\u0000b" }, "/actor"],
    ["half a character in the actor", { ...asOperator, actor: "a\ud800b" }, "/actor"],
    ["a line break in the actor", { ...asOperator, actor: "a\nb" }, "/actor"],
    ["a NUL in the reason", { ...asOperator, reason: "a\u0000b" }, "/reason"],
    ["half a character in the reason", { ...asOperator, reason: "\udfff" }, "/reason"],
    ["a reason that is too long", { ...asOperator, reason: "x".repeat(1_001) }, "/reason"],
  ])("%s, on an Agent and on a booking", async (_, payload, pointer) => {
    const booking = await operated.submit();
    const post = (url: string) =>
      operated.app.inject({
        method: "POST",
        url,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "if-match": '"1"',
        },
        payload: JSON.stringify(payload),
      });
    const onAgent = await post("/v1/agents/payments/pause");
    const onTask = await post(`/v1/tasks/${booking.id}/pause`);
    for (const response of [onAgent, onTask]) {
      expect(response.json()).toMatchObject({
        status: 422,
        code: "request.invalid",
        errors: [{ pointer, detail: expect.stringMatching(/stored|characters/) }],
      });
    }
    expect(await operated.show(booking.id)).toEqual(booking);
  });

  test.each(["/v1/agents/a%00b/pause", "/v1/workflows/a%00b/resume"])(
    "a NUL in %s",
    async (path) => {
      expect((await operated.act(path, asOperator)).json()).toMatchObject({
        status: 422,
        code: "request.invalid",
      });
    },
  );

  test.each(["resubmit", "resolve"])("an input or output of %s", async (verb) => {
    const payload = verb === "resubmit" ? { input: "a\ud800" } : { output: { x: "a\u0000" } };
    const response = await operated.onBooking(await halted(operated), verb, payload);
    expect(response.json()).toMatchObject({
      status: 422,
      detail: expect.stringContaining("NUL or half a character"),
    });
  });
});

test("a client without a token learns nothing about the body that a route expects", async () => {
  const booking = await operated.submit();
  for (const path of [`/v1/tasks/${booking.id}/pause`, "/v1/agents/payments/pause"]) {
    const response = await operated.act(
      path,
      { nonsense: true },
      { authorization: "Bearer wrong" },
    );
    expect(response.json()).toMatchObject({ status: 401, code: "auth.token_wrong" });
  }
});

test("an address that guesses tokens is refused for a while, and operators of the same address are not", async () => {
  await using guessed = operated.openApp(token);
  const guess = (authorization: string) =>
    guessed.inject({
      method: "POST",
      url: "/v1/agents/payments/pause",
      headers: { authorization },
      payload: asOperator,
    });
  for (let tries = 0; tries < 10; tries += 1) {
    expect((await guess(`Bearer guess-${tries}`)).statusCode).toBe(401);
  }
  const refused = await guess("Bearer guess");
  expect(refused.json()).toMatchObject({ status: 429, code: "auth.too_many_tries" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await guess(`Bearer ${token}`)).statusCode).toBe(204);
});
