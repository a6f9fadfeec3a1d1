import { expect, test } from "@jest/globals";
import { digestOfKey, isKey, keyDigestPattern, makeKey } from "./principal-keys.ts";

test("a key has 256 random bits and a digest of the form that the access file takes", () => {
  const keys = Array.from({ length: 100 }, makeKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) {
    expect(isKey(key)).toBe(true);
    expect(Buffer.from(key.slice("hfk_".length), "base64url")).toHaveLength(32);
    expect(digestOfKey(key)).toMatch(new RegExp(keyDigestPattern));
  }
});

test("the digest is the SHA-256 of the whole key, so that a file made elsewhere fits", () => {
  expect(digestOfKey("abc")).toBe(
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test.each([
  "",
  "hfk_",
  `hfk_${"a".repeat(42)}`,
  `hfk_${"a".repeat(44)}`,
  `HFK_${"a".repeat(43)}`,
  `hfk_${"a".repeat(42)}=`,
])("%j is no key", (text) => {
  expect(isKey(text)).toBe(false);
});
