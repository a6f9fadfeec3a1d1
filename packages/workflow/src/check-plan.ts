import { ContractFault, type StepDefinition } from "@holdfast/domain";
import {
  type AnyNode,
  type ArrowFunctionExpression,
  type CallExpression,
  type FunctionExpression,
  parse,
} from "acorn";
import { planOf, type Workflow, type WrittenPlan } from "./define-workflow.ts";
import type { Schema } from "./schema.ts";

/** A comment with it, on the same line or the one above, lets a decision stand. */
const allowing = "holdfast-allow";

/** What is written in a plan, and why it does not mean what it seems to. */
interface Finding {
  readonly node: AnyNode;
  readonly why: string;
}

/**
 * Reads the source of a workflow's function, and refuses what JavaScript decides while the steps
 * are written down, once for all tasks, although it reads as if each task decided it: an `if` on a
 * value of the input, a `||` behind one, a `catch` around a step. No ref can notice that it is
 * looked at as a truth value. It refuses joins that seem forgotten, too. Where there is no source
 * to read, such as in a definition as JSON, nothing is refused. Throws a `ContractFault`
 * (`workflow.invalid`) with a line for each.
 */
export function checkPlan({ name, definition, [planOf]: plan }: Planned): void {
  if (plan === undefined) return;
  const findings = [
    ...findingsIn(String(plan.write)).map(
      ({ line, text, why }) => `${name}, line ${line} of its function, ${text}: ${why}`,
    ),
    ...forgottenJoins(definition.steps, plan).map((what) => `${name}, ${what}`),
  ];
  if (findings.length > 0) throw new ContractFault("workflow.invalid", findings.join("\n"));
}

type Planned = Pick<Workflow<Schema>, "name" | typeof planOf> & {
  readonly definition: { readonly steps: readonly Written[] };
};
type Written = Pick<StepDefinition, "name" | "after">;

const listed = (names: readonly string[]): string => names.join(", ");

/**
 * Steps that say no `after`, and so follow the step above alone, although another one above is
 * waited for by nothing: as the step after two branches does, when its author forgets to say that
 * it joins them.
 */
function forgottenJoins(
  steps: readonly Written[],
  { following }: Pick<WrittenPlan, "following">,
): readonly string[] {
  const awaited = new Set(steps.flatMap(({ after }) => after));
  const met = new Set<string>();
  return steps.flatMap(({ name, after }, index) => {
    if (!following.includes(name)) return [];
    const above = steps.slice(0, index).map((step) => step.name);
    const left = above.filter((one) => !awaited.has(one) && !met.has(one));
    for (const one of left) met.add(one);
    return left.length === 0
      ? []
      : [
          `step "${name}": says no after, so it follows ${listed(after)} alone, and nothing waits for ${listed(left)}. Write after: [${listed([...left, ...after])}] if it joins them, and after: [${listed(after)}] if it does not`,
        ];
  });
}

/** What an operator is shown of a finding. */
interface Located {
  /** The line of the function, whose first line is 1. */
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

function findingsIn(source: string): readonly Located[] {
  const read = functionIn(source);
  if (read === null) return [];
  const { plan, text } = read;
  const refs = refsOf(plan);
  const findings = [
    ...plan.params.flatMap(defaultsIn),
    ...allIn(plan.body).flatMap((node) => atNode(findingsAt(refs), node) ?? []),
  ];
  const lines = text.split("\n");
  const isAllowed = (line: number): boolean =>
    [lines[line - 1], lines[line - 2]].some((one) => one?.includes(allowing));
  return findings
    .filter(({ node }, index) => !findings.slice(0, index).some((one) => isWithin(node, one.node)))
    .map(({ node, why }) => ({
      line: text.slice(0, node.start).split("\n").length,
      text: shown(text, node),
      why,
    }))
    .filter(({ line }) => !isAllowed(line));
}

/** Whether a node is a part of another one, or that one itself. */
const isWithin = (node: AnyNode, other: AnyNode): boolean =>
  node.start >= other.start && node.end <= other.end;

/**
 * What makes an expression of a function as it prints itself: an arrow or a function, or a method.
 */
const wrappings = [
  ["(", ")"],
  ["({", "})"],
] as const;

/**
 * The function in its own source, and the text in which its places are; null: there is none, as of
 * one that is native.
 */
function functionIn(source: string): { readonly plan: PlanNode; readonly text: string } | null {
  for (const [before, after] of wrappings) {
    const text = `${before}${source}${after}`;
    const program = programOf(text);
    if (program === null) continue;
    const plan = allIn(program).find(isFunction);
    if (plan !== undefined) return { plan, text };
  }
  return null;
}

function programOf(text: string): AnyNode | null {
  try {
    return parse(text, { ecmaVersion: "latest", sourceType: "module" });
  } catch {
    return null;
  }
}

type PlanNode = ArrowFunctionExpression | FunctionExpression;

const isFunction = (node: AnyNode): node is PlanNode =>
  node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";

/** A node and all below it, in their order. */
const allIn = (node: AnyNode): readonly AnyNode[] => [node, ...childrenOf(node).flatMap(allIn)];

const childrenOf = (node: AnyNode): readonly AnyNode[] =>
  Object.values(node as unknown as Readonly<Record<string, unknown>>)
    .flat()
    .filter(isNode);

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && typeof (value as AnyNode).type === "string";

/** What is to be said of nodes, by their types. */
type ByType<Said> = {
  readonly [Type in AnyNode["type"]]?: (node: Extract<AnyNode, { readonly type: Type }>) => Said;
};

/** What is said of a node; undefined: nothing is said of its type. */
const atNode = <Said>(table: ByType<Said>, node: AnyNode): Said | undefined =>
  (table[node.type] as ((node: AnyNode) => Said) | undefined)?.(node);

/** Which expressions of a plan stand for values that are not known yet. */
interface Refs {
  readonly isRef: (node: AnyNode | null | undefined) => boolean;
  readonly isStep: (node: CallExpression) => boolean;
}

/**
 * Finds the names that stand for refs: the input, what steps return, and what is taken out of them
 * or made of them. A name counts in the whole function.
 */
function refsOf({ params: [input, step], body }: PlanNode): Refs {
  const names = new Set(input === undefined ? [] : namesIn(input));
  const stepName = step?.type === "Identifier" ? step.name : null;
  // A function of the project that is given `step` adds steps, too.
  const isStep = ({ callee, arguments: given }: CallExpression): boolean =>
    [callee.type === "MemberExpression" ? callee.object : callee, ...given].some(
      (part) => part.type === "Identifier" && part.name === stepName,
    );
  const isRef: Refs["isRef"] = (node) => (node == null ? false : (atNode(refAt, node) ?? false));
  const refAt: ByType<boolean> = {
    Identifier: ({ name }) => names.has(name),
    MemberExpression: ({ object }) => isRef(object),
    ChainExpression: ({ expression }) => isRef(expression),
    AwaitExpression: ({ argument }) => isRef(argument),
    AssignmentExpression: ({ right }) => isRef(right),
    ConditionalExpression: ({ consequent, alternate }) => isRef(consequent) || isRef(alternate),
    LogicalExpression: ({ left, right }) => isRef(left) || isRef(right),
    SequenceExpression: ({ expressions }) => isRef(expressions.at(-1)),
    CallExpression: (node) => isStep(node) || isRef(node.callee) || node.arguments.some(isRef),
  };
  const learn = (pattern: AnyNode, value: AnyNode | null | undefined): void => {
    if (value == null) return;
    const isWhole = pattern.type === "Identifier";
    if (isWhole ? !isRef(value) : !allIn(value).some(isRef)) return;
    for (const name of namesIn(pattern)) names.add(name);
  };
  const learnAt: ByType<void> = {
    VariableDeclarator: ({ id, init }) => learn(id, init),
    AssignmentExpression: ({ left, right }) => learn(left, right),
    ForOfStatement: ({ left, right }) => learn(patternOf(left), right),
  };
  // A name may be given its value further down than it is used.
  for (let known = -1; known < names.size; ) {
    known = names.size;
    for (const node of allIn(body)) atNode(learnAt, node);
  }
  return { isRef, isStep };
}

const patternOf = (left: AnyNode): AnyNode =>
  left.type === "VariableDeclaration" ? (left.declarations[0]?.id ?? left) : left;

/** The names that a pattern binds. */
const namesIn = (pattern: AnyNode): readonly string[] => atNode(namesAt, pattern) ?? [];

const namesAt: ByType<readonly string[]> = {
  Identifier: ({ name }) => [name],
  AssignmentPattern: ({ left }) => namesIn(left),
  RestElement: ({ argument }) => namesIn(argument),
  ArrayPattern: ({ elements }) => elements.flatMap((one) => (one === null ? [] : namesIn(one))),
  ObjectPattern: ({ properties }) => properties.flatMap(namesIn),
  Property: ({ value }) => namesIn(value),
};

const decided =
  "is decided here and now, once for all tasks. Have each task decide it: onlyIf on the step, such as onlyIf: equals(trip.payNow, true)";
const alternative =
  "what stands on the right is never taken, for nothing is known of the value yet. Write fallback(value, other), or give the field a default in the schema";
const compared =
  "compares a value that is not known yet, and never holds. Compare it with equals, isIn, greaterThan, lessThan or exists in onlyIf";
const neverCaught =
  "the catch never runs: steps are only written down here. Say with faults, retry and onFailure of the step what follows when it fails";
const now =
  "is the same for all tasks, and another one at the next start. Submit it with the input, or have an Agent make it";

const looks: ReadonlySet<string> = new Set(["!", "typeof"]);
const equalities: ReadonlySet<string> = new Set(["==", "===", "!=", "!==", "instanceof"]);

const findingsAt = ({ isRef, isStep }: Refs): ByType<readonly Finding[]> => {
  const decides = (test: AnyNode | null | undefined): readonly Finding[] =>
    test != null && isRef(test) ? [{ node: test, why: decided }] : [];
  return {
    IfStatement: ({ test }) => decides(test),
    ConditionalExpression: ({ test }) => decides(test),
    WhileStatement: ({ test }) => decides(test),
    DoWhileStatement: ({ test }) => decides(test),
    ForStatement: ({ test }) => decides(test),
    SwitchStatement: ({ discriminant }) => decides(discriminant),
    LogicalExpression: (node) =>
      isRef(node.left) ? [{ node, why: node.operator === "&&" ? decided : alternative }] : [],
    UnaryExpression: (node) =>
      looks.has(node.operator) && isRef(node.argument) ? [{ node, why: decided }] : [],
    BinaryExpression: (node) =>
      equalities.has(node.operator) && (isRef(node.left) || isRef(node.right))
        ? [{ node, why: compared }]
        : [],
    TryStatement: ({ block, handler }) =>
      handler != null && allIn(block).some((node) => node.type === "CallExpression" && isStep(node))
        ? [{ node: handler, why: neverCaught }]
        : [],
    VariableDeclarator: ({ id, init }) => (isRef(init) ? defaultsIn(id) : []),
    NewExpression: (node) =>
      isName(node.callee, "Date") && node.arguments.length === 0 ? [{ node, why: now }] : [],
    CallExpression: (node) => (isMadeNow(node) ? [{ node, why: now }] : []),
  };
};

/** The defaults in a pattern that takes a ref apart. */
const defaultsIn = (pattern: AnyNode): readonly Finding[] =>
  allIn(pattern).flatMap((node) =>
    node.type === "AssignmentPattern" ? [{ node, why: alternative }] : [],
  );

const isName = (node: AnyNode, name: string): boolean =>
  node.type === "Identifier" && node.name === name;

const madeNow: readonly (readonly [object: string, method: string])[] = [
  ["Date", "now"],
  ["Math", "random"],
  ["crypto", "randomUUID"],
];

const isMadeNow = ({ callee }: CallExpression): boolean =>
  callee.type === "MemberExpression" &&
  madeNow.some(
    ([object, method]) => isName(callee.object, object) && isName(callee.property, method),
  );

/** The source of a node on one line, shortened. */
function shown(source: string, { start, end }: AnyNode): string {
  const text = source.slice(start, end).replace(/\s+/g, " ");
  return `\`${text.length > 60 ? `${text.slice(0, 57)}...` : text}\``;
}
