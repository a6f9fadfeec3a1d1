import { gzipSync } from "node:zlib";
import type { Dice } from "./dice.ts";

interface ByteMutation {
  readonly name: string;
  readonly act: (content: Buffer, dice: Dice) => Buffer;
}

const insert = (content: Buffer, at: number, bytes: readonly number[]): Buffer =>
  Buffer.concat([content.subarray(0, at), Buffer.from(bytes), content.subarray(at)]);

/** Whole prefixes and encodings, and damage on the way. */
const mutations: readonly ByteMutation[] = [
  { name: "empty", act: () => Buffer.alloc(0) },
  {
    name: "truncated",
    act: (content, dice) => content.subarray(0, dice.between(0, Math.max(0, content.length - 1))),
  },
  { name: "byte order mark", act: (content) => insert(content, 0, [0xef, 0xbb, 0xbf]) },
  { name: "gzip", act: (content) => gzipSync(content) },
  { name: "utf-16", act: (content) => Buffer.from(content.toString(), "utf16le") },
  {
    name: "invalid utf-8",
    act: (content, dice) => insert(content, dice.between(0, content.length), [0xc3, 0x28, 0xff]),
  },
  { name: "NUL", act: (content, dice) => insert(content, dice.between(0, content.length), [0]) },
  { name: "trailing text", act: (content) => Buffer.concat([content, Buffer.from("}]x")]) },
  { name: "two documents", act: (content) => Buffer.concat([content, content]) },
  {
    name: "blanks",
    act: (content, dice) => Buffer.concat([Buffer.alloc(dice.between(1, 100_000), " "), content]),
  },
  {
    name: "bit flip",
    act: (content, dice) => {
      const flipped = Buffer.from(content);
      const at = dice.between(0, Math.max(0, flipped.length - 1));
      if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.between(0, 7));
      return flipped;
    },
  },
  {
    name: "random bytes",
    act: (_, dice) => Buffer.from(Array.from({ length: 200 }, () => dice.between(0, 255))),
  },
];

/** Damages a document as a whole. */
export function mutateBytes(
  content: Buffer,
  dice: Dice,
): { readonly content: Buffer; readonly change: string } {
  const { name, act } = dice.pick(mutations);
  return { content: act(content, dice), change: name };
}
