import { describe, expect, test } from "@jest/globals";
import type { FastifyReply, FastifyRequest } from "fastify";
import { operatorGate, tokenFault } from "./operator-gate.ts";

const token = "the-operators-token";

/** A gate with a clock of its own, and what it answers. */
function opened(expected: string | null = token) {
  let now = 0;
  const gate = operatorGate(expected, () => now);
  const answer = async (shown: string, ip = "10.0.0.1"): Promise<object> => {
    const headers: Record<string, string> = {};
    const request = { ip, headers: { authorization: `Bearer ${shown}` } };
    const reply = { header: (name: string, value: string) => (headers[name] = value) };
    return gate(request as unknown as FastifyRequest, reply as unknown as FastifyReply).then(
      () => ({ status: 200 }),
      ({ status, code }: { status: number; code: string }) => ({ status, code, headers }),
    );
  };
  const answers = async (shown: string, times: number, ip?: string) => {
    const all: object[] = [];
    for (let time = 0; time < times; time += 1) all.push(await answer(shown, ip));
    return all;
  };
  return { answer, answers, advance: (ms: number) => (now += ms) };
}

const refused = { status: 401, code: "operator.unknown" };

describe("the gate", () => {
  test("refuses every request if no token is set", async () => {
    const { answer } = opened(null);
    expect(await answer("")).toMatchObject({ status: 403, code: "operator.disabled" });
    expect(await answer("null")).toMatchObject({ status: 403 });
  });

  test("accepts the token, however often", async () => {
    const { answers } = opened();
    expect(new Set((await answers(token, 100)).map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"status":200}']),
    );
  });

  test("refuses an address after ten wrong tokens until the minute is over, right tokens as well", async () => {
    const { answer, answers, advance } = opened();
    for (const one of await answers("wrong", 10)) expect(one).toMatchObject(refused);
    advance(20_000);
    const blocked = {
      status: 429,
      code: "operator.too_many_tries",
      headers: { "retry-after": "40" },
    };
    expect(await answer("wrong")).toEqual(blocked);
    expect(await answer(token)).toEqual(blocked);
    advance(40_000);
    expect(await answer(token)).toEqual({ status: 200 });
    expect(await answer("wrong")).toMatchObject(refused);
  });

  test("counts wrong tokens separately for each address", async () => {
    const { answer, answers } = opened();
    await answers("wrong", 20);
    expect(await answer("wrong", "10.0.0.2")).toMatchObject(refused);
    expect(await answer(token, "10.0.0.2")).toEqual({ status: 200 });
  });

  test("remembers a thousand addresses at most", async () => {
    const { answer, answers } = opened();
    await answers("wrong", 10);
    for (let host = 0; host < 1_000; host += 1) await answer("wrong", `10.1.0.${host}`);
    expect(await answer(token)).toEqual({ status: 200 });
  });
});

test.each([
  ["a short token for this host only", "local-operator", "127.0.0.1", null],
  ["a short token for this host only, by IPv6", "local-operator", "::1", null],
  ["a long token for all", "sixteen-letters!", "0.0.0.0", null],
  ["no token", null, "0.0.0.0", null],
  ["a short token for all", "development", "0.0.0.0", /11 characters: it must have at least 16/],
])("%s", (_, given, host, fault) => {
  if (fault === null) expect(tokenFault(given, host)).toBeNull();
  else expect(tokenFault(given, host)).toMatch(fault);
});
