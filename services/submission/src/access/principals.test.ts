import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOfKey, makeKey } from "@holdfast/runtime";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openPrincipals } from "./principals.ts";

let folder: string;
let path: string;
const logged: string[] = [];
const log = {
  error: (_: object, message: string) => void logged.push(message),
  info: (message: string) => void logged.push(message),
} as never;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-access-"));
  path = join(folder, "access.yaml");
  logged.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

const write = (...principals: readonly object[]) => writeFile(path, JSON.stringify({ principals }));
const opened = () => openPrincipals({ path, log });

test("each key of a principal is that principal, and any other is wrong", async () => {
  const [one, two] = [makeKey(), makeKey()];
  const keys = [digestOfKey(one), digestOfKey(two)];
  await write({ id: "ada@example.com", name: "Ada Lovelace", keys, approves: ["treasury"] });
  const principals = await opened();
  const ada = {
    id: "ada@example.com",
    name: "Ada Lovelace",
    kind: "key",
    approves: new Set(["treasury"]),
  };
  expect(await principals.read(one)).toEqual(ada);
  expect(await principals.read(two)).toEqual(ada);
  for (const shown of [makeKey(), digestOfKey(one), one.slice(0, -1), `${one} `, ""]) {
    expect(await principals.read(shown)).toBe("wrong");
  }
});

test("a principal without a name and audiences is called by its id, and decides nothing", async () => {
  const key = makeKey();
  await write({ id: "checkout", keys: [digestOfKey(key)] });
  expect(await (await opened()).read(key)).toEqual({
    id: "checkout",
    name: "checkout",
    kind: "key",
    approves: new Set(),
  });
});

test("a file that changes counts once it is read again, and what it leaves out no more", async () => {
  const [one, two] = [makeKey(), makeKey()];
  await write({ id: "ada", keys: [digestOfKey(one)] });
  const principals = await opened();
  await principals.reread();
  expect(logged).toEqual([]);
  await write({ id: "grace", keys: [digestOfKey(two)], approves: ["*"] });
  expect(await principals.read(two)).toBe("wrong");
  await principals.reread();
  expect(await principals.read(two)).toMatchObject({ id: "grace", approves: "*" });
  expect(await principals.read(one)).toBe("wrong");
  expect(logged).toEqual(["access file read"]);
});

test("a file that breaks is logged once, and what was known stays until it is right again", async () => {
  const [one, two] = [makeKey(), makeKey()];
  await write({ id: "ada", keys: [digestOfKey(one)] });
  const principals = await opened();
  await writeFile(path, "principals: [");
  await principals.reread();
  await principals.reread();
  expect(await principals.read(one)).toMatchObject({ id: "ada" });
  await rm(path);
  await principals.reread();
  expect(await principals.read(one)).toMatchObject({ id: "ada" });
  expect(logged).toEqual(["access file unusable", "access file unusable"]);
  await write({ id: "ada", keys: [digestOfKey(two)] });
  await principals.reread();
  expect(await principals.read(one)).toBe("wrong");
  expect(await principals.read(two)).toMatchObject({ id: "ada" });
});

test.each(["principals: [", "principals: [{ id: a }]"])(
  "a file with %j is unusable at the start",
  async (text) => {
    await writeFile(path, text);
    await expect(opened()).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringContaining(path),
    });
  },
);

test("a file that is not there is unusable at the start", async () => {
  await expect(opened()).rejects.toMatchObject({ code: "config.invalid" });
});
