import type { Finding } from "./finding.ts";
import type { Module } from "./module.ts";

/** Lines. A test file is as long as its cases need, but still one subject: it has the same limit. */
const limits = { file: 500, function: 60 };

/** Finds files and functions that are too long. The callbacks of `describe` and `test` are no functions. */
export function findOversize(modules: readonly Module[]): readonly Finding[] {
  return modules.flatMap((module) => [...oversizeFile(module), ...oversizeFunctions(module)]);
}

function oversizeFile({ path, lines }: Module): readonly Finding[] {
  if (lines <= limits.file) return [];
  const message = `${path} has ${lines} lines, the limit is ${limits.file}: split it`;
  return [{ rule: "file size", subject: path, message }];
}

function oversizeFunctions({ path, functions }: Module): readonly Finding[] {
  if (path.endsWith(".test.ts")) return [];
  return functions
    .filter(({ lines }) => lines > limits.function)
    .map(({ name, lines }) => ({
      rule: "function size",
      subject: `${path} ${name}`,
      message: `${path}: ${name} has ${lines} lines, the limit is ${limits.function}: split it`,
    }));
}
