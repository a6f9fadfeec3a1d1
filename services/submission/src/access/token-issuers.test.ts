import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { base64url, SignJWT, UnsecuredJWT } from "jose";
import { openIssuer, type TestIssuer } from "../../test/issuer.ts";
import type { Issuer } from "./access-file.ts";
import { type IssuerOptions, tokenReader } from "./token-issuers.ts";

let issuer: TestIssuer;
let key: Awaited<ReturnType<TestIssuer["makeKey"]>>;

beforeAll(async () => {
  issuer = await openIssuer();
  key = await issuer.makeKey("one");
});
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
});
beforeEach(() => issuer.publish([key]));

const reader = (changes: Partial<Issuer> = {}, options: IssuerOptions = {}) => {
  const rules = [
    { claim: "groups", has: "payments-ops", approves: ["treasury"] },
    { claim: "groups", has: "risk", approves: ["fraud"] },
    { claim: "sub", is: "system:serviceaccount:shop:checkout", approves: [] },
  ];
  return tokenReader([{ issuer: issuer.url, audience: "holdfast", rules, ...changes }], options);
};
const ops = { groups: ["payments-ops", "people"] };
const minutes = (many: number) => Math.floor(Date.now() / 1_000) + many * 60;

describe("a valid token", () => {
  test("is its principal, with the audiences of all rules that hold", async () => {
    const read = reader();
    const claims = { groups: ["payments-ops", "risk"], name: "Ada\nLovelace" };
    expect(await read(await issuer.sign(key, claims))).toEqual({
      id: "ada",
      name: "Ada Lovelace",
      kind: "token",
      approves: new Set(["treasury", "fraud"]),
    });
    const service = { sub: "system:serviceaccount:shop:checkout" };
    expect(await read(await issuer.sign(key, service))).toEqual({
      id: service.sub,
      name: service.sub,
      kind: "token",
      approves: new Set(),
    });
  });

  test("of a rule with * is for all audiences, and a claim that is one text has it", async () => {
    const rules = [{ claim: "role", has: "admin", approves: ["*"] }];
    const token = await issuer.sign(key, { role: "admin" });
    expect(await reader({ rules })(token)).toMatchObject({ approves: "*" });
  });

  test("of which no rule holds gives no right", async () => {
    const read = reader();
    expect(await read(await issuer.sign(key))).toBe("unassigned");
    expect(await read(await issuer.sign(key, { groups: ["payments-op"] }))).toBe("unassigned");
    expect(await read(await issuer.sign(key, { groups: [["payments-ops"]] }))).toBe("unassigned");
  });

  test.each(["RS256", "ES256", "EdDSA", "PS256"])("may be signed with %s", async (alg) => {
    const other = await issuer.makeKey(alg, alg);
    await issuer.publish([key, other]);
    expect(await reader()(await issuer.sign(other, ops))).toMatchObject({ id: "ada" });
  });
});

describe("a token is wrong", () => {
  test.each<[string, object]>([
    ["that expired a minute ago", { exp: minutes(-1) }],
    ["that never expires", { exp: undefined }],
    ["that is not valid yet", { nbf: minutes(2) }],
    ["for another audience", { aud: "billing" }],
    ["for no audience", { aud: undefined }],
    ["of another issuer", { iss: "https://login.example.com" }],
    ["of no issuer", { iss: undefined }],
    ["of nobody", { sub: undefined }],
    ["whose bearer is called like an operator", { sub: "operator:ann" }],
    ["whose bearer is called like an application", { sub: "application:shop" }],
    ["whose bearer has a line break", { sub: "a\nb" }],
    ["whose bearer is a number", { sub: 7 }],
  ])("%s", async (_, claims) => {
    expect(await reader()(await issuer.sign(key, { ...ops, ...claims }))).toBe("wrong");
  });

  test("whose signature or claims were changed", async () => {
    const [head = "", , signature = ""] = (await issuer.sign(key, ops)).split(".");
    const claims = { iss: issuer.url, aud: "holdfast", sub: "eve", exp: minutes(5), ...ops };
    const body = base64url.encode(JSON.stringify(claims));
    expect(await reader()(`${head}.${body}.${signature}`)).toBe("wrong");
    expect(await reader()(`${head}.${body}.`)).toBe("wrong");
  });

  test("without a signature, or signed with what is public", async () => {
    const claims = { iss: issuer.url, aud: "holdfast", sub: "eve", exp: minutes(5), ...ops };
    expect(await reader()(new UnsecuredJWT(claims).encode())).toBe("wrong");
    const secret = new TextEncoder().encode("a secret that all who ask for the keys know");
    for (const kid of ["one", "other"]) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid })
        .sign(secret);
      expect(await reader()(forged)).toBe("wrong");
    }
  });

  test("signed with an algorithm that its issuer does not use", async () => {
    expect(await reader({ algorithms: ["RS256"] })(await issuer.sign(key, ops))).toBe("wrong");
  });

  test("signed with a key that its issuer does not have, under any name", async () => {
    for (const kid of ["one", "unknown"]) {
      const foreign = await issuer.makeKey(kid);
      expect(await reader()(await issuer.sign(foreign, ops))).toBe("wrong");
    }
  });

  test("whose address of e-mail was not verified", async () => {
    const read = reader({ id: "email" });
    const email = { ...ops, email: "ada@example.com" };
    for (const verified of [undefined, false, "true"]) {
      const token = await issuer.sign(key, { ...email, email_verified: verified });
      expect(await read(token)).toBe("wrong");
    }
    const token = await issuer.sign(key, { ...email, email_verified: true });
    expect(await read(token)).toMatchObject({ id: "ada@example.com" });
  });

  test.each(["", "x", "a.b.c", "..", `${"a".repeat(20_000)}.b.c`, "hfk_short"])(
    "that is none: %j",
    async (token) => {
      expect(await reader()(token)).toBe("wrong");
    },
  );
});

describe("the keys of an issuer", () => {
  test("are asked for once, and again for a key that is new", async () => {
    const read = reader({}, { cooldown: 0 });
    const before = issuer.asked();
    await Promise.all([1, 2, 3].map(async () => read(await issuer.sign(key, ops))));
    await read(await issuer.sign(key, ops));
    expect(issuer.asked() - before).toBe(1);
    const next = await issuer.makeKey("two");
    await issuer.publish([next]);
    expect(await read(await issuer.sign(next, ops))).toMatchObject({ id: "ada" });
    expect(await read(await issuer.sign(key, ops))).toBe("wrong");
  });

  test("are not asked for by each token with an unknown key", async () => {
    const read = reader();
    const before = issuer.asked();
    const foreign = await issuer.makeKey("unknown");
    for (let count = 0; count < 5; count += 1) {
      expect(await read(await issuer.sign(foreign, ops))).toBe("wrong");
    }
    expect(issuer.asked() - before).toBe(1);
  });

  test("that cannot be read refuse no token: it is said to be tried again", async () => {
    let now = 0;
    const read = reader({}, { clock: { now: () => now } });
    await issuer.publish(null);
    const token = await issuer.sign(key, ops);
    const unavailable = { code: "auth.issuer_unavailable", transient: true };
    const before = issuer.asked();
    await expect(read(token)).rejects.toMatchObject(unavailable);
    await expect(read(token)).rejects.toMatchObject(unavailable);
    expect(issuer.asked() - before).toBe(1);
    await issuer.publish([key]);
    now = 5_000;
    expect(await read(token)).toMatchObject({ id: "ada" });
  });

  test("are looked for where the file says, and nowhere else", async () => {
    const token = await issuer.sign(key, ops);
    expect(await reader({ jwksUri: `${issuer.url}/keys` })(token)).toMatchObject({ id: "ada" });
    const closed = await openIssuer();
    await closed[Symbol.asyncDispose]();
    await expect(reader({ jwksUri: `${closed.url}/keys` })(token)).rejects.toMatchObject({
      code: "auth.issuer_unavailable",
    });
  });
});
