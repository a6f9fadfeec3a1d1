import { describe, expect, test } from "@jest/globals";
import type { FastifyReply, FastifyRequest } from "fastify";
import { operatorGate } from "./operator-gate.ts";

const token = "the-operators-token";

/** A gate with a clock of its own, what it answers, and what it logs and counts. */
function opened(expected: string | null = token) {
  let now = 0;
  let counted = 0;
  const logged: object[] = [];
  const gate = operatorGate(expected, {
    log: { warn: (fields: object) => void logged.push(fields) },
    metrics: { counter: () => (value) => void (counted += value) },
    clock: () => now,
  });
  const answer = async (authorization: string, address = "10.0.0.1"): Promise<object> => {
    const headers: Record<string, string> = {};
    const guard = { callerOf: () => ({ address, block: address.replace(/::.*$/, "::/64") }) };
    const request = { headers: { authorization }, server: { guard } };
    const reply = { header: (name: string, value: string) => (headers[name] = value) };
    const asked = [request as unknown as FastifyRequest, reply as unknown as FastifyReply] as const;
    return gate.onRequest(...asked).then(
      () => ({ status: 200 }),
      ({ status, code }: { status: number; code: string }) => ({ status, code, headers }),
    );
  };
  const show = (shown: string, address?: string) => answer(`Bearer ${shown}`, address);
  const answers = async (shown: string, times: number, address?: string) => {
    const all: object[] = [];
    for (let time = 0; time < times; time += 1) all.push(await show(shown, address));
    return all;
  };
  return {
    isOperator: (authorization: string | undefined) =>
      gate.isOperator(authorization === undefined ? {} : { authorization }),
    answer,
    show,
    answers,
    logged,
    counted: () => counted,
    advance: (ms: number) => (now += ms),
  };
}

const refused = { status: 401, code: "auth.token_wrong" };

describe("the gate", () => {
  test("refuses every request if no token is set", async () => {
    const { show, answer } = opened(null);
    expect(await answer("")).toMatchObject({ status: 403, code: "auth.disabled" });
    expect(await show("null")).toMatchObject({ status: 403 });
  });

  test("accepts the token, however often", async () => {
    const { answers } = opened();
    expect(new Set((await answers(token, 100)).map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"status":200}']),
    );
  });

  test("refuses further wrong tokens of an address until the minute is over, and never the right one", async () => {
    const { show, answers, advance } = opened();
    for (const one of await answers("wrong", 10)) expect(one).toMatchObject(refused);
    advance(20_000);
    expect(await show("wrong")).toEqual({
      status: 429,
      code: "auth.too_many_tries",
      headers: { "retry-after": "40" },
    });
    expect(await show(token)).toEqual({ status: 200 });
    advance(40_000);
    expect(await show("wrong")).toMatchObject(refused);
  });

  test("counts wrong tokens separately for each address, and for each /64 of IPv6", async () => {
    const { show, answers } = opened();
    await answers("wrong", 20);
    expect(await show("wrong", "10.0.0.2")).toMatchObject(refused);
    for (let host = 0; host < 10; host += 1) await show("wrong", `2001:db8::${host}`);
    expect(await show("wrong", "2001:db8::ffff")).toMatchObject({ status: 429 });
    expect(await show("wrong", "2001:db8:0:1::1")).toMatchObject(refused);
  });

  test("takes a request without a token for no try, however many tabs of a console ask so", async () => {
    const { answer, logged, counted } = opened();
    for (let tab = 0; tab < 50; tab += 1)
      expect(await answer("")).toMatchObject({ ...refused, code: "auth.token_missing" });
    expect(logged).toEqual([]);
    expect(counted()).toBe(0);
  });

  test("logs the first wrong token of an address in a minute and the tenth, and counts all", async () => {
    const { answers, logged, counted } = opened();
    await answers("wrong", 40);
    await answers("wrong", 1, "10.0.0.2");
    expect(logged).toEqual([
      { address: "10.0.0.1", wrong: 1 },
      { address: "10.0.0.1", wrong: 10 },
      { address: "10.0.0.2", wrong: 1 },
    ]);
    expect(counted()).toBe(41);
  });

  test("remembers a thousand addresses at most", async () => {
    const { show, answers } = opened();
    await answers("wrong", 10);
    for (let host = 0; host < 1_000; host += 1)
      await show("wrong", `10.1.${host >> 8}.${host & 255}`);
    expect(await show("wrong")).toMatchObject(refused);
  });
});

test.each([
  undefined,
  "",
  token,
  `Basic ${token}`,
  "Bearer",
  "Bearer other",
  `Bearer ${token} more`,
])("a request with the authorization %j shows no token", (authorization) => {
  expect(opened().isOperator(authorization)).toBe(false);
  expect(opened(null).isOperator(authorization)).toBe(false);
});

test("a request shows the token of the service, and none where the service has none", () => {
  expect(opened().isOperator(`Bearer ${token}`)).toBe(true);
  expect(opened().isOperator(`bearer ${token}`)).toBe(true);
  for (const shown of ["Bearer ", "Bearer null", `Bearer ${token}`]) {
    expect(opened(null).isOperator(shown)).toBe(false);
  }
});
