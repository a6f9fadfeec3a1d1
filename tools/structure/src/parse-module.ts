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
  const isComment = commentLines(text, { comments, lineAt });
  const measure = ({ start, end }: Span) => {
    const [first, last] = [lineAt(start), lineAt(end)];
    const said = isComment.filter((line) => line >= first && line <= last).length;
    functions.push({
      name: names.join(".") || "(default)",
      lines: last - first + 1 - said,
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
  const wideComments = wideCommentsIn(text, { comments, lineAt });
  return { path, imports, functions, docComments, wideComments };
}

/** The lines, counted from one, that have nothing but a comment. */
function commentLines(
  text: string,
  { comments, lineAt }: { readonly comments: readonly Comment[]; readonly lineAt: LineAt },
): readonly number[] {
  return comments
    .filter(({ start }) => /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - width), start)))
    .flatMap(({ start, end }) =>
      Array.from({ length: lineAt(end) - lineAt(start) + 1 }, (_, index) => lineAt(start) + index),
    );
}

/** Columns of a comment. Code is as wide as the formatter makes it. */
const width = 100;

/** A directive to a tool is one line, however long, and so is an address. */
const unbreakable = /^\W*(?:@|biome-ignore|oxlint-|eslint-|\S+$)/;

function wideCommentsIn(
  text: string,
  { comments, lineAt }: { readonly comments: readonly Comment[]; readonly lineAt: LineAt },
): readonly number[] {
  const lines = text.split("\n");
  const wide = ({ start, end }: Span) =>
    lines
      .slice(lineAt(start) - 1, lineAt(end - 1))
      .map((line, index) => ({ line, at: lineAt(start) + index }))
      .filter(({ line }) => line.length > width && !unbreakable.test(line.slice(columnOf(line))))
      .map(({ at }) => at);
  return comments.flatMap(wide);
}

/** The column at which the comment of a line begins, after its code. */
const columnOf = (line: string): number => Math.max(0, line.search(/\/[/*]|^\s*\*/));

function docCommentsIn(comments: readonly Comment[], lineAt: LineAt): readonly DocComment[] {
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
type LineAt = (offset: number) => number;

function lineCounter(text: string): LineAt {
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
