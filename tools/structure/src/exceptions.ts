import type { Finding, Rule } from "./finding.ts";

/** Breaches of one rule that are allowed, all for the same reason. */
export interface Exceptions {
  readonly rule: Rule;
  readonly reason: string;
  readonly subjects: readonly string[];
}

const key = (rule: Rule, subject: string) => `${rule}: ${subject}`;

/**
 * Returns one line for each finding that no exception allows, and for each exception that allows
 * nothing.
 */
export function unexplained(
  findings: readonly Finding[],
  groups: readonly Exceptions[],
): readonly string[] {
  const found = new Set(findings.map(({ rule, subject }) => key(rule, subject)));
  const allowed = new Set(
    groups.flatMap(({ rule, subjects }) => subjects.map((subject) => key(rule, subject))),
  );
  return [
    ...findings
      .filter(({ rule, subject }) => !allowed.has(key(rule, subject)))
      .map(({ rule, message }) => `${rule}: ${message}`),
    ...[...allowed]
      .filter((each) => !found.has(each))
      .map((each) => `stale exception: ${each}: remove it from exceptions.json`),
  ];
}

/**
 * Returns the exceptions that fit today's findings: stale ones are gone, new ones stand in a group
 * of their rule whose reason a person has to write.
 */
export function rewriteExceptions(
  findings: readonly Finding[],
  groups: readonly Exceptions[],
): readonly Exceptions[] {
  const isFound = (rule: Rule, subject: string) =>
    findings.some((finding) => finding.rule === rule && finding.subject === subject);
  const kept = groups
    .map((group) => ({
      ...group,
      subjects: group.subjects.filter((subject) => isFound(group.rule, subject)),
    }))
    .filter(({ subjects }) => subjects.length > 0);
  const isKept = ({ rule, subject }: Finding) =>
    kept.some((group) => group.rule === rule && group.subjects.includes(subject));
  const rest = Object.groupBy(
    findings.filter((finding) => !isKept(finding)),
    ({ rule }) => rule,
  );
  const added = Object.entries(rest).map(([rule, found]) => ({
    rule: rule as Rule,
    reason: missingReason,
    subjects: [...new Set(found.map(({ subject }) => subject))].toSorted(),
  }));
  return [...kept, ...added];
}

/** What `--write-exceptions` writes where a person has to give the reason. The check refuses it. */
export const missingReason = "REASON MISSING";
