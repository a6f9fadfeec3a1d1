import { expect, test } from "@jest/globals";
import { agentCode, findFaultCode } from "./fault-codes.ts";
import { PermanentFault, TransientFault } from "./faults.ts";

test("a Fault accepts a code of the catalogue, or one in an area that is not Holdfast's", () => {
  expect(new TransientFault("store.unavailable", "no").code).toBe("store.unavailable");
  expect(new PermanentFault("payments.declined", "no").code).toBe("payments.declined");
  const made = ["payments", "declined"].join(".");
  expect(new PermanentFault(agentCode(made), "no").code).toBe("payments.declined");
});

test("a code that is not in the catalogue, or not known before run time, does not compile", () => {
  const made: string = ["payments", "declined"].join(".");
  // @ts-expect-error: Holdfast has no such code.
  expect(new TransientFault("store.unavailible", "no")).toBeInstanceOf(TransientFault);
  // @ts-expect-error: it may be any code, one of Holdfast's included.
  expect(new PermanentFault(made, "no")).toBeInstanceOf(PermanentFault);
});

test.each([
  ["task.unknown", "task.unknown"],
  ["order.unknown", undefined],
  ["store.unavailable", "store.unavailable"],
  ["payments.declined", undefined],
  ["toString", undefined],
  ["", undefined],
])("the catalogue has %p as %p", (code, found) => {
  expect(findFaultCode(code)?.code).toBe(found);
});
