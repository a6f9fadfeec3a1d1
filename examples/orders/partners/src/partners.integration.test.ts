import { describe, expect, test } from "@jest/globals";
import { charge, listen, send, temporaryFolder } from "../test/fixtures.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

const undoOf = (resource: string, key: string) => `${resource}/by-key/${encodeURIComponent(key)}`;

async function open() {
  const folder = await temporaryFolder();
  const partners = await listen(folder.path);
  const charges = `${partners.url}/payments/charges`;
  return {
    charges,
    url: partners.url,
    faultSettings: (partner: string, body: object) =>
      send(`${partners.url}/fault-settings/${partner}`, { method: "PUT", body }),
    refund: (key: string) => send(undoOf(charges, key), { method: "DELETE" }),
    ledger: async () =>
      ((await send(`${partners.url}/ledger`, { method: "GET" })).body as { entries: LedgerEntry[] })
        .entries,
    balance: (prefix = "") =>
      send(`${partners.url}/ledger/balance?prefix=${prefix}`, { method: "GET" }),
    async [Symbol.asyncDispose]() {
      await partners[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("an idempotency key", () => {
  test("makes the partner do the work once, and answer the same each time", async () => {
    await using at = await open();
    const answers = [
      await send(at.charges, { key: "t1:charge:do", body: charge }),
      await send(at.charges, { key: "t1:charge:do", body: charge }),
      await send(at.charges, {
        key: "t1:charge:do",
        body: Object.fromEntries(Object.entries(charge).toReversed()),
      }),
    ];
    expect(answers[0]).toEqual({ status: 201, body: { chargeId: expect.stringMatching(/^ch_/) } });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await at.ledger()).toHaveLength(1);
  });

  test("is refused for another request", async () => {
    await using at = await open();
    await send(at.charges, { key: "k", body: charge });
    const other = await send(at.charges, { key: "k", body: { ...charge, amount: 1 } });
    expect(other).toMatchObject({ status: 422, body: { code: "key_reused" } });
  });

  test("that is in progress gives no outcome, neither for the do nor for the undo", async () => {
    await using at = await open();
    await at.faultSettings("payments", { holdMs: 2_000 });
    const ask = () => send(at.charges, { key: "k", body: charge });
    const inProgress = { status: 409, body: { code: "in_progress" } };
    // Whichever comes first is carried out, and the other one is refused meanwhile.
    const asked = [ask(), ask()];
    expect(await Promise.race(asked)).toMatchObject(inProgress);
    expect(await at.refund("k")).toMatchObject(inProgress);
    const answers = (await Promise.all(asked)).toSorted((a, b) => a.status - b.status);
    expect(answers).toMatchObject([{ status: 201 }, inProgress]);
    expect(await ask()).toEqual(answers[0]);
  });

  test("is required", async () => {
    await using at = await open();
    expect(await send(at.charges, { body: charge })).toMatchObject({ status: 400 });
  });
});

describe("an undo", () => {
  test("takes the effect back once, however often it is requested", async () => {
    await using at = await open();
    await send(at.charges, { key: "t1:charge:do", body: charge });
    expect((await at.refund("t1:charge:do")).body).toEqual({ outcome: "undone" });
    expect((await at.refund("t1:charge:do")).body).toEqual({ outcome: "already_undone" });
    expect((await at.ledger()).map(({ kind }) => kind)).toEqual(["applied", "undone"]);
  });

  test("of a request that never came succeeds, and the request is refused from then on", async () => {
    await using at = await open();
    expect((await at.refund("late")).body).toEqual({ outcome: "nothing_to_undo" });
    const late = await send(at.charges, { key: "late", body: charge });
    expect(late).toMatchObject({ status: 410, body: { code: "undone" } });
    expect((await at.ledger()).map(({ kind }) => kind)).toEqual(["tombstone"]);
  });

  test("is final: an undone request is not carried out again", async () => {
    await using at = await open();
    await send(at.charges, { key: "k", body: charge });
    await at.refund("k");
    expect(await send(at.charges, { key: "k", body: charge })).toMatchObject({ status: 410 });
  });

  test("finds the longest key that is allowed", async () => {
    await using at = await open();
    const key = ":".repeat(400);
    await send(at.charges, { key, body: charge });
    expect((await at.refund(key)).body).toEqual({ outcome: "undone" });
  });
});

describe("a partner that refuses", () => {
  const address = { name: "A", street: "B", city: "C", postalCode: "D", country: "AQ" };
  test.each([
    ["inventory/reservations", { lines: [{ sku: "sold-out-lamp", quantity: 1 }] }, 409, "sold_out"],
    ["payments/charges", { ...charge, paymentMethod: "card-declined" }, 402, "declined"],
    ["shipping/shipments", { reservationId: "r", to: address }, 422, "unshippable"],
    ["payments/charges", { ...charge, currency: "euro" }, 400, "invalid"],
  ])("%s does nothing", async (path, body, status, code) => {
    await using at = await open();
    const said = await send(`${at.url}/${path}`, { key: "k", body });
    expect(said).toMatchObject({ status, body: { code } });
    expect(await at.ledger()).toEqual([]);
  });

  test("accepts a flaky card the third time", async () => {
    await using at = await open();
    const body = { ...charge, paymentMethod: "card-flaky" };
    const statuses = [];
    for (let nth = 1; nth <= 4; nth++)
      statuses.push((await send(at.charges, { key: "k", body })).status);
    expect(statuses).toEqual([503, 503, 201, 201]);
  });
});

describe("the fault settings", () => {
  test("make a partner fail before the effect", async () => {
    await using at = await open();
    await at.faultSettings("payments", { errorRate: 1 });
    expect(await send(at.charges, { key: "k", body: charge })).toMatchObject({ status: 503 });
    expect(await at.ledger()).toEqual([]);
  });

  test("make a partner drop its answer after the effect, and the next attempt with the key gets that answer", async () => {
    await using at = await open();
    await at.faultSettings("payments", { applyThenDropRate: 1 });
    await expect(send(at.charges, { key: "k", body: charge })).rejects.toThrow("fetch failed");
    await at.faultSettings("payments", {});
    expect(await send(at.charges, { key: "k", body: charge })).toMatchObject({ status: 201 });
    expect(await at.ledger()).toHaveLength(1);
  });

  test("take one partner down without the others, and bring it back", async () => {
    await using at = await open();
    await at.faultSettings("payments", { down: true });
    await expect(send(at.charges, { key: "k", body: charge })).rejects.toThrow("fetch failed");
    const stock = { lines: [{ sku: "lamp", quantity: 1 }] };
    const reserved = await send(`${at.url}/inventory/reservations`, { key: "k", body: stock });
    expect(reserved.status).toBe(201);
    await at.faultSettings("payments", { down: false });
    expect(await send(at.charges, { key: "k", body: charge })).toMatchObject({ status: 201 });
  });

  test.each([[{ errorRates: 1 }], [{ errorRate: 2 }], [{ latencyMs: { min: 1 } }]])(
    "reject an invalid setting: %j",
    async (mistake) => {
      await using at = await open();
      expect(await at.faultSettings("payments", mistake)).toMatchObject({ status: 400 });
    },
  );
});

test("the balance shows the remaining effect of every key, and the total", async () => {
  await using at = await open();
  const stock = {
    lines: [
      { sku: "lamp", quantity: 2 },
      { sku: "lamp", quantity: 1 },
    ],
  };
  await send(`${at.url}/inventory/reservations`, { key: "t1:reserve:do", body: stock });
  await send(at.charges, { key: "t1:charge:do", body: charge });
  await send(at.charges, { key: "t2:charge:do", body: charge });
  await at.refund("t2:charge:do");

  const { body } = await at.balance();
  expect(body).toMatchObject({
    appliedTwice: [],
    totals: { inventory: { lamp: 3 }, payments: { EUR: 1_299 } },
  });
  expect((await at.balance("t2:")).body).toMatchObject({
    keys: [{ partner: "payments", key: "t2:charge:do", applied: 1, undone: 1, net: 0 }],
  });
});

test("mail to an address of bounces.example is refused, and leaves nothing behind", async () => {
  await using at = await open();
  const confirmation = (email: string) =>
    send(`${at.url}/notifications/confirmations`, {
      key: "t1:confirm:do",
      body: { to: { name: "Ada", email }, chargeId: "ch_1", trackingNumber: "TRK_1" },
    });
  expect(await confirmation("ada@bounces.example")).toMatchObject({
    status: 422,
    body: { code: "undeliverable" },
  });
  expect(await at.ledger()).toEqual([]);
  expect(await confirmation("ada@example.com")).toMatchObject({ status: 201 });
});
