import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Removal } from "./removals.ts";

/**
 * The files of a removal as they are without the feature. Throws if a text to replace is not there
 * exactly once.
 */
export function withoutFeature(root: string, { edits }: Removal): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const text = changed.get(file) ?? readFileSync(join(root, file), "utf8");
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${file} has this ${count} times, and not once: ${find}`);
    changed.set(
      file,
      text.replace(find, () => replace),
    );
  }
  return changed;
}

/** Removes a feature from a copy of the source; disposing puts it back. */
export function removeFeature(root: string, removal: Removal): Disposable {
  const changed = withoutFeature(root, removal);
  const originals = [...changed.keys()].map(
    (file) => [file, readFileSync(join(root, file), "utf8")] as const,
  );
  for (const [file, text] of changed) writeFileSync(join(root, file), text);
  return {
    [Symbol.dispose]() {
      for (const [file, text] of originals) writeFileSync(join(root, file), text);
    },
  };
}
