import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./public-packages.ts";

/** What a page tells its reader to do, in its order. */
export type Instruction =
  | { readonly kind: "command"; readonly command: string }
  /** A key on the terminal of the last command that runs until Ctrl-C. */
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "edit"; readonly file: string; readonly from: string; readonly to: string }
  | { readonly kind: "stop" };

const parts = /^```(\w+)\n([\s\S]*?)^```$|(?:^|\s)[Pp]ress `(.)`|^Ctrl-C stops/gm;

/** Reads the instructions of a page: blocks of shell and of changes, keys to press, and Ctrl-C. */
export function readPage(page: string): readonly Instruction[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(parts)].flatMap(([whole, language, block = "", key]): Instruction[] => {
    if (key !== undefined) return [{ kind: "key", key }];
    if (language === undefined) return whole.trim() === "" ? [] : [{ kind: "stop" }];
    if (language === "sh") return commandsOf(block);
    return language === "diff" ? [editOf(block)] : [];
  });
}

const commandsOf = (block: string): Instruction[] =>
  block
    .trimEnd()
    .split("\n")
    .map((command) => ({ kind: "command", command }));

function editOf(block: string): Instruction {
  const [, file, from, to] = /^--- (\S+)\n-(.*)\n\+(.*)\n$/.exec(block) ?? [];
  if (file === undefined || from === undefined || to === undefined) {
    throw new Error(`This change cannot be made:\n${block}`);
  }
  return { kind: "edit", file, from, to };
}
