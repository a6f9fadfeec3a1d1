import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { askedOf, serviceOf } from "./connection.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-token-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const [one, other] = [fileWith("one", "of a file\n"), fileWith("other", "of another\n")];
const empty = fileWith("empty", "\n");

type Texts = Readonly<Record<string, string>>;

function tokenWith(options: Texts, env: Texts): string | undefined {
  const asked = askedOf((option) => ({ url: "http://127.0.0.1:3000", ...options })[option]);
  return serviceOf(asked, { env }).token;
}

test.each<[string, Texts, Texts, string | undefined]>([
  ["of nothing", {}, {}, undefined],
  ["of a file", { "token-file": one }, {}, "of a file"],
  ["of a file that a variable names", {}, { HOLDFAST_TOKEN_FILE: one }, "of a file"],
  ["of an option before a variable", { token: "x" }, { HOLDFAST_TOKEN_FILE: one }, "x"],
  ["of a file before a variable", { "token-file": one }, { HOLDFAST_TOKEN: "x" }, "of a file"],
  [
    "of the option's file first",
    { "token-file": one },
    { HOLDFAST_TOKEN_FILE: other },
    "of a file",
  ],
  ["of a variable, beside an empty one", {}, { HOLDFAST_TOKEN: "x", HOLDFAST_TOKEN_FILE: "" }, "x"],
])("the token is that %s", (_, options, env, token) => {
  expect(tokenWith(options, env)).toBe(token);
});

test.each<[string, Texts, Texts, RegExp]>([
  [
    "is given twice",
    { token: "x", "token-file": one },
    {},
    /twice: say either --token or the file/,
  ],
  ["is set twice", {}, { HOLDFAST_TOKEN: "x", HOLDFAST_TOKEN_FILE: one }, /either HOLDFAST_TOKEN/],
  ["is in no file", { "token-file": join(folder, "none") }, {}, /cannot be read/],
  ["is empty", { "token-file": empty }, {}, /empty is empty: write the token to it/],
])("a token that %s is refused with what to do", (_, options, env, words) => {
  expect(() => tokenWith(options, env)).toThrow(words);
});
