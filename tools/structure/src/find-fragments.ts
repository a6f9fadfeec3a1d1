import type { Finding } from "./finding.ts";
import type { Module } from "./module.ts";

/**
 * Words that lead to a place, a time, a reason or a limit of a thing which the comment leaves out.
 */
const leading = [
  "Of|By|With|Without|From|To|As|For|On|In|At|Under|Over|Up|Between|Beside|Below|Above|Beyond|Within",
  "Instead|Like|Unlike|Until|After|Before|Since|So|Where|While|Once|If|Because",
  "Or|And|But|Else|Otherwise|Then|There|Here|Also|Only|Not|Never",
].join("|");
/** Words that stand for a thing which another comment named. */
const pointing = "Those|These|They|Their|Such|Same|Whose";
/** Values whose meaning a comment says before it has named what has them. */
const values = "Null|None|Absent|Undefined|False|True";

const fragment = new RegExp(
  [
    `^(?:${leading}|${pointing}|${values})\\b(?!-)`,
    "^(?:Empty|0)(?=:| (?:unless|until|without|when)\\b)",
    `^The same(?=[,.:;]| (?:${leading.toLowerCase()})\\b)`,
  ].join("|"),
);

/**
 * Finds doc comments that do not begin with the thing that they are about: the code below would
 * have to name it.
 */
export function findFragments(modules: readonly Module[]): readonly Finding[] {
  return modules.flatMap(({ path, docComments }) =>
    docComments.flatMap(({ text, line }) => {
      const [opening] = fragment.exec(text) ?? [];
      if (opening === undefined) return [];
      const message = `${path}:${line}: the doc comment begins with "${opening}": begin with what it is about`;
      return [{ rule: "doc comment", subject: `${path} ${text.slice(0, 60)}`, message } as const];
    }),
  );
}
