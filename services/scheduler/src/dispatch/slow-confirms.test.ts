import { expect, test } from "@jest/globals";
import { slowConfirms } from "./slow-confirms.ts";

/** Takes confirms, and notes what is remembered; the store answers when the test says so. */
function confirming() {
  const remembered: number[] = [];
  const warned: string[] = [];
  let answer: (error?: Error) => void = () => {};
  const took = slowConfirms({
    store: {
      rememberOutage: ({ lasted }) => {
        remembered.push(lasted);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        answer = (error) => (error === undefined ? resolve() : reject(error));
        return promise;
      },
    },
    log: { warn: (_: object, text: string) => void warned.push(text) } as never,
  });
  const settle = async (error?: Error): Promise<void> => {
    answer(error);
    await new Promise(setImmediate);
  };
  return { remembered, warned, took, settle };
}

test("a confirm in time is not remembered", () => {
  const { remembered, took } = confirming();
  took(500);
  expect(remembered).toEqual([]);
});

test("a slow confirm is remembered as an outage, and many as one", async () => {
  const { remembered, took, settle } = confirming();
  took(2_000);
  for (let ms = 600; ms < 3_000; ms += 1) took(ms);
  expect(remembered).toEqual([2_000]);
  await settle();
  expect(remembered).toEqual([2_000, 2_999]);
  await settle();
  took(700);
  expect(remembered).toEqual([2_000, 2_999, 700]);
});

test("a store that is away is no reason to end the process", async () => {
  const { remembered, warned, took, settle } = confirming();
  took(700);
  await settle(new Error("away"));
  expect(warned).toEqual(["slow confirm not remembered"]);
  took(800);
  expect(remembered).toEqual([700, 800]);
});
