import { expect, test } from "@jest/globals";
import { onFreePorts } from "./on-free-ports.ts";

test("starts again when a stranger was faster to take the port", async () => {
  const outcomes = [
    () => Promise.reject(new Error("could not bind: Address already in use")),
    () => Promise.reject(new Error("{listen_error,eaddrinuse}")),
    () => Promise.resolve("started"),
  ];
  await expect(onFreePorts(() => outcomes.shift()?.() ?? Promise.reject())).resolves.toBe(
    "started",
  );
});

test("gives up at once on any other fault", async () => {
  let starts = 0;
  const start = async () => {
    starts++;
    throw new Error("no space left on device");
  };
  await expect(onFreePorts(start)).rejects.toThrow("no space left");
  expect(starts).toBe(1);
});

test("does not try for ever", async () => {
  const always = onFreePorts(() => Promise.reject(new Error("eaddrinuse")));
  await expect(always).rejects.toThrow("eaddrinuse");
});
