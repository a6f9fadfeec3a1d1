import type { Finding } from "./finding.ts";
import type { Module } from "./module.ts";

/** Lines of a function, without its comments. A file has no limit: it is as long as its subject. */
const limit = 60;

/**
 * Finds functions that are too long. A test file has none: the callbacks of `describe` and `test`
 * are no functions.
 */
export function findOversize(modules: readonly Module[]): readonly Finding[] {
  return modules
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > limit)
        .map(({ name, lines }) => ({
          rule: "function size",
          subject: `${path} ${name}`,
          message: `${path}: ${name} has ${lines} lines of code, the limit is ${limit}: split it`,
        })),
    );
}
