import { type Comment, parseSync, Visitor } from "oxc-parser";
import type { DocComment, FunctionSize, Import, Module } from "./module.ts";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Parses one TypeScript or JavaScript file. Throws when it has syntax errors. */
export function parseModule(path: string, text: string): Module {
  const { program, module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} could not be parsed: ${error.message}`);
  const lineAt = lineCounter(text);
  const at = (specifier: string, { start }: Span): Import => ({ specifier, line: lineAt(start) });

  const imports: Import[] = [
    ...module.staticImports.map(({ moduleRequest }) => at(moduleRequest.value, moduleRequest)),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest }) =>
        moduleRequest ? [at(moduleRequest.value, moduleRequest)] : [],
      ),
  ];
  const functions: FunctionSize[] = [];
  const names: string[] = [];
  const stack = nameStack(names);
  const measure = ({ start, end }: Span) => {
    functions.push({
      name: names.join(".") || "(default)",
      lines: lineAt(end) - lineAt(start) + 1,
    });
  };
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string")
        imports.push(at(source.value, source));
    },
    TSImportType: ({ source }) => void imports.push(at(source.value, source)),
    VariableDeclarator: ({ id }) => stack.enter(id.type === "Identifier" ? id.name : "(pattern)"),
    "VariableDeclarator:exit": stack.leave,
    Property: ({ key }) => stack.enter(key.type === "Identifier" ? key.name : "(computed)"),
    "Property:exit": stack.leave,
    MethodDefinition: ({ key }) => stack.enter(key.type === "Identifier" ? key.name : "(computed)"),
    "MethodDefinition:exit": stack.leave,
    FunctionDeclaration: (node) => {
      stack.enter(node.id?.name ?? "(default)");
      measure(node);
    },
    "FunctionDeclaration:exit": stack.leave,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);
  const docComments = docCommentsIn(comments, lineAt);
  return { path, lines: lineAt(text.length - 1), imports, functions, docComments };
}

function docCommentsIn(
  comments: readonly Comment[],
  lineAt: (offset: number) => number,
): readonly DocComment[] {
  return comments
    .filter(({ type, value }) => type === "Block" && value.startsWith("*"))
    .map(({ value, start }) => ({
      text: value
        .replace(/^\s*\*+/gm, "")
        .replace(/\s+/g, " ")
        .trim(),
      line: lineAt(start),
    }));
}

function nameStack(names: string[]) {
  return {
    enter: (name: string) => void names.push(name),
    leave: () => void names.pop(),
  };
}

/** Returns the line of an offset, counted from one. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? Infinity) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
