import type { Finding } from "./finding.ts";
import type { Module } from "./module.ts";

/** Finds lines of comments that a reader with two files side by side does not see to their end. */
export function findWideComments(modules: readonly Module[]): readonly Finding[] {
  return modules.flatMap(({ path, wideComments }) =>
    wideComments.map((line) => ({
      rule: "comment width" as const,
      subject: path,
      message: `${path}:${line}: the comment goes beyond column 100: break the line`,
    })),
  );
}
