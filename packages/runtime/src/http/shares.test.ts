import { expect, test } from "@jest/globals";
import { seededRandom } from "../faults/failpoint.ts";
import { type Caller, type Held, openShares } from "./shares.ts";

const at = (block: string, isOperator = false): Caller => ({ address: block, block, isOperator });
const stays = { timeout: 60_000, onGone: () => {} };

test("one address has its share, others have the rest, and operators what is kept for them", () => {
  const shares = openShares({ most: 20, addressShare: 25, reserve: 10 });
  const held: (Held | null)[] = [];
  for (let count = 0; count < 30; count += 1) held.push(shares.take(at("10.0.0.1")));
  expect(held.filter((one) => one !== null)).toHaveLength(5);
  for (let host = 2; host < 30; host += 1) shares.take(at(`10.0.0.${host}`));
  expect(shares.used).toBe(18);
  expect(shares.take(at("10.0.1.1"))).toBeNull();
  const operator = at("10.0.0.1", true);
  expect(shares.take(operator)).not.toBeNull();
  expect(shares.take(operator)).not.toBeNull();
  expect(shares.take(operator)).toBeNull();
  held[0]?.release();
  held[0]?.release();
  expect(shares.used).toBe(19);
  expect(shares.take(operator)).not.toBeNull();
});

test("what is larger than a share is let through alone", () => {
  const shares = openShares({ most: 100, addressShare: 25, reserve: 10 });
  const large = shares.take(at("a"), 1_000);
  expect(large).not.toBeNull();
  expect(shares.used).toBe(25);
  expect(shares.take(at("a"), 1)).toBeNull();
  large?.shrinkTo(10);
  expect(shares.used).toBe(10);
  large?.shrinkTo(50);
  expect(shares.take(at("a"), 15)).not.toBeNull();
});

test("what waits is served in its order, those with a full share are passed over, and the others give up", async () => {
  const shares = openShares({ most: 4, addressShare: 50, reserve: 0 });
  const [first] = [shares.take(at("a"), 2), shares.take(at("b"), 2)];
  let leave = (): void => {};
  const gone = shares.wait(at("c"), 1, { ...stays, onGone: (call) => void (leave = call) });
  const waiting = shares.wait(at("c"), 1, stays);
  const ofFullShare = shares.wait(at("b"), 1, { ...stays, timeout: 30 });
  leave();
  await expect(gone).rejects.toMatchObject({ code: "request.overload" });
  first?.release();
  const held = await waiting;
  await expect(ofFullShare).rejects.toMatchObject({ code: "request.overload" });
  held.release();
  expect(shares.used).toBe(2);
});

test("whatever is taken and released, no address and no sum is beyond its limit, and nothing is left", () => {
  const random = seededRandom(7);
  const below = (most: number): number => Math.floor(random() * most);
  const shares = openShares({ most: 100, addressShare: 25, reserve: 10 });
  let held: Held[] = [];
  for (let act = 0; act < 5_000; act += 1) {
    const isOperator = below(4) === 0;
    const taken = shares.take(at(`10.0.0.${below(6)}`, isOperator), 1 + below(60));
    if (taken !== null) held.push(taken);
    if (taken !== null && !isOperator) expect(shares.used).toBeLessThanOrEqual(90);
    expect(shares.used).toBeLessThanOrEqual(100);
    held = held.filter((one) => {
      const isReleased = below(3) === 0;
      if (isReleased) one.release();
      return !isReleased;
    });
  }
  for (const one of held) one.release();
  expect(shares.used).toBe(0);
});
