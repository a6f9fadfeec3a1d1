import { expect, test } from "@jest/globals";
import { onFreePorts } from "./on-free-ports.ts";

test("onFreePorts retries with other ports if another process took the port first", async () => {
  const outcomes = [
    () => Promise.reject(new Error("could not bind: Address already in use")),
    () => Promise.reject(new Error("{listen_error,eaddrinuse}")),
    () => Promise.resolve("started"),
  ];
  await expect(onFreePorts(() => outcomes.shift()?.() ?? Promise.reject())).resolves.toBe(
    "started",
  );
});

test("onFreePorts does not retry any other fault", async () => {
  let starts = 0;
  const start = async () => {
    starts++;
    throw new Error("no space left on device");
  };
  await expect(onFreePorts(start)).rejects.toThrow("no space left");
  expect(starts).toBe(1);
});

test("onFreePorts gives up after a number of tries", async () => {
  const always = onFreePorts(() => Promise.reject(new Error("eaddrinuse")));
  await expect(always).rejects.toThrow("eaddrinuse");
});
