import {
  type Condition,
  canonicalJson,
  expressionIn,
  stepOfRef,
  type Template,
} from "@holdfast/domain";

/** What is certain of a task in which a step runs. */
export interface Proven {
  /** Pointers of values that are there and not null. */
  readonly pointers: ReadonlySet<string>;
  /** Conditions that hold, as canonical JSON. */
  readonly conditions: ReadonlySet<string>;
}

/** A step, as far as it says when it is skipped. */
interface Conditional {
  readonly name: string;
  readonly onlyIf: Condition | null;
}

/**
 * What is certain once a step runs: what its condition says, and what the conditions of other steps
 * say of whose outputs its own speaks.
 */
export function provenBy(step: Conditional, others: ReadonlyMap<string, Conditional>): Proven {
  const pointers = new Set<string>();
  const conditions = new Set<string>();
  const learnt = new Set<string>();
  const learn = ({ name, onlyIf }: Conditional): void => {
    if (learnt.has(name)) return;
    learnt.add(name);
    if (onlyIf === null) return;
    for (const pointer of existing(onlyIf, true)) pointers.add(pointer);
    for (const part of conjuncts(onlyIf)) conditions.add(canonicalJson(part));
    for (const pointer of pointers) {
      const ran = others.get(stepOfRef(pointer) ?? "");
      if (ran !== undefined) learn(ran);
    }
  };
  learn(step);
  return { pointers, conditions };
}

/**
 * Whether a step certainly ran: it has no condition, or its output is known, or its condition is
 * known to hold.
 */
export const hasRun = ({ name, onlyIf }: Conditional, proven: Proven): boolean =>
  onlyIf === null ||
  [...proven.pointers].some((pointer) => stepOfRef(pointer) === name) ||
  holds(onlyIf, proven);

function holds(condition: Condition, proven: Proven): boolean {
  if (proven.conditions.has(canonicalJson(condition))) return true;
  if ("and" in condition) return condition.and.every((part) => holds(part, proven));
  if ("or" in condition) return condition.or.some((part) => holds(part, proven));
  if (!("exists" in condition)) return false;
  const pointer = refIn(condition.exists);
  return (
    pointer !== null &&
    [...proven.pointers].some((known) => known === pointer || known.startsWith(`${pointer}/`))
  );
}

const conjuncts = (condition: Condition): readonly Condition[] =>
  "and" in condition ? [condition, ...condition.and.flatMap(conjuncts)] : [condition];

/** The pointers that are there and not null where a condition holds, or where it does not. */
function existing(condition: Condition, isTrue: boolean): readonly string[] {
  if ("not" in condition) return existing(condition.not, !isTrue);
  if ("and" in condition || "or" in condition) {
    const parts = "and" in condition ? condition.and : condition.or;
    const found = parts.map((part) => existing(part, isTrue));
    return "and" in condition === isTrue ? found.flat() : inAll(found);
  }
  if ("exists" in condition) return isTrue ? refsOnly([condition.exists]) : [];
  if ("equals" in condition) {
    const [one, other] = condition.equals;
    return [...equalled(one, other, isTrue), ...equalled(other, one, isTrue)];
  }
  if ("greaterThan" in condition) return isTrue ? refsOnly(condition.greaterThan) : [];
  if ("lessThan" in condition) return isTrue ? refsOnly(condition.lessThan) : [];
  const [value, list] = condition.in;
  const isShown = isTrue ? list.every(isThere) : list.includes(null);
  return isShown ? refsOnly([value]) : [];
}

/** It is equal to something that is not null, or other than null. */
const equalled = (value: Template, other: Template, isTrue: boolean): readonly string[] =>
  (isTrue ? isThere(other) : other === null) ? refsOnly([value]) : [];

function inAll([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((pointer) => others.every((other) => other.includes(pointer)));
}

const refsOnly = (templates: readonly Template[]): readonly string[] =>
  templates.map(refIn).filter((pointer) => pointer !== null);

/** Whether a template is never null, whatever its refs have. */
function isThere(template: Template): boolean {
  const expression = expressionIn(template);
  switch (expression?.kind) {
    case "ref":
      return false;
    case "literal":
      return expression.value !== null;
    case "concat":
      return expression.parts.every(isThere);
    case "fallback":
      return isThere(expression.other);
    case undefined:
      return template !== null;
  }
}

function refIn(template: Template): string | null {
  const expression = expressionIn(template);
  return expression?.kind === "ref" ? expression.pointer : null;
}
