import { expect, test } from "@jest/globals";
import { claim, dispatching, type Load, values } from "../../test/dispatching.ts";

const claims = (count: number, name?: string) => Array.from({ length: count }, () => claim(name));
const mebibyte = 1024 * 1024;

/** Tasks whose values have so many bytes each. */
const tasksOf = (bytes: number, loaded: number[]): Load => {
  return async (index, most) => {
    const fits = (index + 1) * bytes <= most;
    if (fits) loaded.push(bytes);
    return fits ? values : { ...values, leftOut: bytes };
  };
};

test("the values of many claims are loaded in parts, and every request is built", async () => {
  const parts: number[] = [];
  const loaded: number[] = [];
  const load = tasksOf(300_000, loaded);
  const { dispatch, published, applied } = dispatching(undefined, {}, (index, most) => {
    if (index === 0) parts.push(most);
    return load(index, most);
  });
  await dispatch(claims(100), 0);
  expect(published).toHaveLength(100);
  expect(applied).toEqual([]);
  expect(loaded).toHaveLength(100);
  expect(parts.length).toBeGreaterThan(10);
  expect(Math.max(...parts)).toBeLessThanOrEqual(mebibyte);
});

test("a task that has more than a part has one of its own, and what no request may be made of fails its step", async () => {
  const large = dispatching(undefined, {}, tasksOf(3 * mebibyte, []));
  await large.dispatch(claims(3), 0);
  expect(large.published).toHaveLength(3);

  const { dispatch, published, applied } = dispatching(undefined, {}, tasksOf(5 * mebibyte, []));
  await dispatch(claims(1), 0);
  expect(published).toEqual([]);
  expect(applied).toMatchObject([
    { faultDetail: expect.stringContaining("5242880 bytes long"), event: { transient: false } },
  ]);
});

test("requests that the broker has not confirmed take 8 MiB at most, and the others follow", async () => {
  const confirms: (() => void)[] = [];
  const text = { total: "x".repeat(3_500) };
  const { dispatch, published } = dispatching(
    () => new Promise((resolve) => void confirms.push(() => resolve("stored"))),
    {},
    async () => ({ ...values, input: text }),
  );
  const dispatched = dispatch(claims(100, "repeat"), 0);
  for (let confirmed = 0; confirmed < 100; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const unconfirmed = confirms.splice(0);
    const bytes = published
      .slice(published.length - unconfirmed.length)
      .reduce((sum, { body }) => sum + body.length, 0);
    expect(bytes).toBeLessThanOrEqual(8 * mebibyte);
    for (const confirm of unconfirmed) confirm();
    confirmed += unconfirmed.length;
  }
  await dispatched;
  expect(published).toHaveLength(100);
});
