import { expect, test } from "@jest/globals";
import { bulkCall, bulkCommand, dryRunOf, readBulkForm, tasksQuery } from "./bulk-form.ts";

const target = {
  action: "resubmit",
  filter: { fingerprint: "00ff00ff00ff00ff", state: "halted" },
  step: "charge",
} as const;
const form = { canary: "2", rate: "5", output: "", reason: "fixed", actor: "ada" };

test("a form becomes the body of a bulk operation", () => {
  expect(readBulkForm(target, form)).toEqual({
    body: { ...target, canary: 2, rate: 5, reason: "fixed", actor: "ada" },
    faults: {},
  });
});

test("an action on the whole task names no step, and only a resolution has an output", () => {
  const undo = readBulkForm({ ...target, action: "cancel" }, { ...form, output: "{}" }).body;
  expect([Object.hasOwn(undo, "step"), Object.hasOwn(undo, "output")]).toEqual([false, false]);
  const resolve = readBulkForm({ ...target, action: "resolve" }, { ...form, output: "null" }).body;
  expect(resolve.output).toBeNull();
});

test.each<[string, Partial<typeof form>, string]>([
  ["a canary of one and a half", { canary: "1.5" }, "canary"],
  ["a negative canary", { canary: "-1" }, "canary"],
  ["a canary beyond the limit", { canary: "100001" }, "canary"],
  ["no canary", { canary: "" }, "canary"],
  ["a rate of 0", { rate: "0" }, "rate"],
  ["an exponent as a rate", { rate: "1e3" }, "rate"],
  ["an output that is no JSON", { output: "{" }, "output"],
])("%s is a fault of its field", (_, change, field) => {
  const { faults } = readBulkForm({ ...target, action: "resolve" }, { ...form, ...change });
  expect(Object.keys(faults)).toEqual([field]);
});

test("a dry run needs neither a reason nor a name", () => {
  const { body } = readBulkForm(target, { ...form, reason: "", actor: "" });
  expect(dryRunOf(body)).toMatchObject({ dryRun: true, reason: "dry run", actor: "console" });
});

test("the command says the same, also for a reason that a shell would read as a command", () => {
  const { body } = readBulkForm(target, { ...form, reason: "$(rm -rf /) it's" });
  expect(bulkCommand(body)).toBe(
    String.raw`holdfast bulk create resubmit --fingerprint 00ff00ff00ff00ff --state halted --step charge --canary 2 --rate 5 --reason '$(rm -rf /) it'\''s' --actor ada`,
  );
});

test("a filter that the command or the list of tasks cannot say has no line and no link", () => {
  const filter = { key: { $like: "a*" } };
  expect(bulkCommand({ ...readBulkForm({ ...target, filter }, form).body })).toBeNull();
  expect(tasksQuery(filter)).toBeNull();
});

test("a filter leads to the list of its tasks", () => {
  const filter = {
    fingerprint: "ab",
    state: { $in: ["halted", "open"] },
    createdAt: { $gte: "2026-11-24T10:00:00Z" },
  };
  expect(tasksQuery(filter)).toBe(
    "?fingerprint=ab&state=halted%2Copen&createdFrom=2026-11-24T10%3A00%3A00Z",
  );
});

test("changes of the inputs of resubmitted steps stand in the body and in the command, and nowhere else", () => {
  const changes = "iban=DE2\n-note";
  const { body, faults } = readBulkForm(target, { ...form, changes });
  expect(faults).toEqual({});
  const patch = [
    { op: "add", path: "/iban", value: "DE2" },
    { op: "remove", path: "/note" },
  ];
  expect(body).toMatchObject({ patch });
  expect(bulkCommand(body)).toContain("--step charge --set iban=DE2 --unset note --canary 2");
  expect(bulkCall(body, { "idempotency-key": "k" })).toMatchObject({
    method: "POST",
    path: "/v1/bulk-operations",
    headers: { "idempotency-key": "k" },
    body: { patch, canary: 2, rate: 5 },
  });
  expect(
    readBulkForm({ ...target, action: "cancel" }, { ...form, changes }).body,
  ).not.toHaveProperty("patch");
  expect(readBulkForm(target, { ...form, changes: "iban" }).faults).toHaveProperty("changes");
});
