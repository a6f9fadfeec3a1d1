/** One import, export-from, dynamic import or import type of a module. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
}

export interface FunctionSize {
  /** Its own name, or the name of what holds it, as in `serveAgent.onMessage`. */
  readonly name: string;
  /** Lines with code: what is said of them does not count. */
  readonly lines: number;
}

/** A comment in `/**` and its end, without the stars; `line` is the one on which it begins. */
export interface DocComment {
  readonly text: string;
  readonly line: number;
}

/** What the checks need to know about one source file. */
export interface Module {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly imports: readonly Import[];
  readonly functions: readonly FunctionSize[];
  readonly docComments: readonly DocComment[];
  /** Lines, counted from one, on which a comment goes beyond the last column. */
  readonly wideComments: readonly number[];
}

/** Whether only tests load this file: a test, a fixture in `test/`, or anything of the suites. */
export function isTestCode(path: string): boolean {
  return path.endsWith(".test.ts") || path.includes("/test/") || path.startsWith("tests/");
}
