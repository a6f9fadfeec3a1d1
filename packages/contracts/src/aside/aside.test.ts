import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { hostileSchemas } from "../../test/hostile-schemas.ts";
import { aside, LostWork, openAside } from "./aside.ts";
import { type AsideChecked, checkAside, checkHere, openAsideChecker } from "./checker.ts";

const wide = {
  properties: Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `p${index}`,
      { type: "string", pattern: `^${"a?".repeat(20)}$` },
    ]),
  ),
};

test("a small schema is compiled here, and a small value checked at once", () => {
  const check = checkAside({ type: "object", required: ["a"] }, { allErrors: false });
  expect(check({ a: 1 })).toMatchObject({ errors: [] });
  expect(check({})).toMatchObject({ errors: [{ keyword: "required" }] });
});

test("a large schema is compiled aside, and here the next time if that took little", async () => {
  const check = checkAside(wide, { allErrors: false });
  const first = check({ p0: "aa" });
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toMatchObject({ errors: [], isTooCostly: false });
  const narrow = { title: "x".repeat(3_000), type: "string" };
  for (const [brief, isHere] of [
    [Number.POSITIVE_INFINITY, true],
    [0, false],
  ] as const) {
    // The thread keeps what it has compiled, by its text.
    const schema = { ...narrow, description: String(brief) };
    const one = openAsideChecker(schema, { allErrors: false }, brief);
    expect(await one(1)).toMatchObject({ errors: [{ keyword: "type" }] });
    // What is brief is compiled here now, in a turn of its own.
    const next = one(1);
    expect(next).toBeInstanceOf(Promise);
    expect(await next).toMatchObject({ errors: [{ keyword: "type" }] });
    const again = one(1);
    expect(again instanceof Promise).toBe(!isHere);
    expect(await again).toMatchObject({ errors: [{ keyword: "type" }] });
  }
});

test("a value that takes many steps is checked aside", async () => {
  const list = { items: { anyOf: [{ type: "string" }, { type: "integer" }] } };
  const check = checkAside(list, { allErrors: false });
  const found = check(Array.from({ length: 20_000 }, () => 1));
  expect(found).toBeInstanceOf(Promise);
  expect(await found).toMatchObject({ errors: [], isTooCostly: false });
});

test("a schema that cannot be compiled rejects, whichever way it was compiled", async () => {
  const broken = { type: "no such type" };
  expect(() => checkAside(broken, { allErrors: false })).toThrow(/type/);
  const large = { ...broken, title: "x".repeat(3_000) };
  await expect(checkAside(large, { allErrors: false })(1)).rejects.toThrow(/type/);
});

/** One of five: each takes as long as a check may. */
const some = Object.entries(hostileSchemas)
  .filter(([, { refusal }]) => refusal === undefined)
  .filter((_, index) => index % 5 === 0);

test.each(some)("%s: what is found aside is what is found here", async (_, { schema, value }) => {
  const options = { allErrors: true };
  const here = await checkHere(schema, options)(value);
  const { compileMs: _ms, ...found } = await aside<AsideChecked>("check", schema, options, value);
  expect(found).toEqual(JSON.parse(JSON.stringify(here)));
  expect(await checkAside(schema, options)(value)).toMatchObject({
    errors: here.errors,
    isTooCostly: here.isTooCostly,
  });
});

test("the event loop goes on while work is done aside", async () => {
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 1);
  const { schema, value } = hostileSchemas["long enums for each item"]!;
  for (let count = 0; count < 3; count += 1)
    await aside("check", schema, { allErrors: false }, value);
  clearInterval(turn);
  expect(turns).toBeGreaterThan(3);
});

test("work that throws rejects, and the next piece is done", async () => {
  await expect(aside("flow", null)).rejects.toThrow();
  expect(await aside("faults", {})).not.toEqual([]);
});

test("work is given the time that the machine withholds from its thread", async () => {
  const thread = `
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", (text) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      parentPort.postMessage(JSON.stringify({ result: "done" }));
    });`;
  const file = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
  expect(await openAside({ file, longest: 500 })("faults")).toBe("done");
});

test("work that takes too long is given up at the second time, and what waits behind it is done", async () => {
  const thread = `
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", (text) => {
      if (text.includes("for ever")) for (;;);
      parentPort.postMessage(JSON.stringify({ result: text }));
    });`;
  const file = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
  const here = openAside({ file, longest: 2_000, timeout: 280_000 });
  const lost = here("faults", "for ever");
  const next = here("faults", "brief");
  await expect(lost).rejects.toThrow(LostWork);
  expect(await next).toBe('["faults",["brief"]]');
});

test("work that is not begun in time is refused, and may come again; what has begun goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-aside-"));
  const go = join(folder, "go");
  const thread = `
    import { existsSync } from "node:fs";
    import { parentPort } from "node:worker_threads";
    const gate = new Int32Array(new SharedArrayBuffer(4));
    parentPort.on("message", (text) => {
      while (text.includes("long") && !existsSync(${JSON.stringify(go)})) Atomics.wait(gate, 0, 0, 20);
      parentPort.postMessage(JSON.stringify({ result: text }));
    });`;
  const file = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
  const here = openAside({ file, timeout: 300 });
  const long = here("faults", "long");
  const others = ["a", "b", "c"].map((text) => here("faults", text));
  const refused = { status: "rejected", reason: { code: "request.overload", transient: true } };
  expect(await Promise.allSettled(others)).toMatchObject([refused, refused, refused]);
  writeFileSync(go, "");
  expect(await long).toContain("long");
  expect(await here("faults", "a")).toContain("a");
  rmSync(folder, { recursive: true });
});
