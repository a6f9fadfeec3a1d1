import { PermanentFault, SetupFault } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { DatabaseError } from "pg";
import { toStoreFault } from "./postgres-error.ts";

const fromServer = (code: string) => Object.assign(new DatabaseError("no", 2, "error"), { code });
const fromNetwork = (code: string) => Object.assign(new Error("no"), { code });

test.each([
  ["a deadlock", "40P01", "store.contention", true],
  ["a serialization failure", "40001", "store.contention", true],
  ["a lock that was not to be had in time", "55P03", "store.contention", true],
  ["a full disk", "53100", "store.unavailable", true],
  ["too many connections", "53300", "store.unavailable", true],
  ["a shutdown", "57P01", "store.unavailable", true],
  ["a server that is starting", "57P03", "store.unavailable", true],
  ["a statement that took too long", "57014", "store.unavailable", true],
  ["a transaction that was idle for too long", "25P03", "store.unavailable", true],
  ["a connection that broke", "08006", "store.unavailable", true],
  ["a disk that cannot be read", "58030", "store.unavailable", true],
  ["a NUL in a text", "22P05", "store.refused", false],
  ["a broken constraint", "23514", "store.refused", false],
  ["JSON that is nested too deep", "54001", "store.refused", false],
  ["an illegal transition", "HF001", "store.refused", false],
  ["a standby that only reads", "25006", "store.unavailable", true],
  ["a database that accepts no connections", "55000", "store.unavailable", true],
  ["a password that was rotated", "28P01", "store.unavailable", true],
  ["a role that may not log in", "28000", "store.unavailable", true],
  ["a right that was not granted", "42501", "store.failed", false],
])("an error of Postgres is classified: %s", (_, sqlstate, code, transient) => {
  expect(toStoreFault(fromServer(sqlstate))).toMatchObject({ code, transient });
});

test.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND"])(
  "the network error %s counts as an outage",
  (code) => {
    expect(toStoreFault(fromNetwork(code))).toMatchObject({ code: "store.unavailable" });
  },
);

test.each([new TypeError("no"), new RangeError("Maximum call stack size exceeded")])(
  "a %s counts as a bug that no retry can repair",
  (error) => {
    expect(toStoreFault(error)).toMatchObject({ code: "store.bug", transient: false });
  },
);

test.each(["42501", "42P01", "3D000"])(
  "%s counts as a fault of the surroundings, and of no message",
  (code) => {
    expect(toStoreFault(fromServer(code))).toBeInstanceOf(SetupFault);
  },
);

test("a Fault is returned unchanged", () => {
  const fault = new PermanentFault("workflow.unknown", "no");
  expect(toStoreFault(fault)).toBe(fault);
});
