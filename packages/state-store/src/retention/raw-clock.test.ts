import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { statementFiles } from "../postgres/query.ts";

/**
 * What compares an instant with the raw clock, by what a jump of that clock does to it. What would
 * give up something that is kept, a row or the key that protects one, compares with
 * `state.trusted_now()`.
 */
const byRawClock: Readonly<Record<string, readonly string[]>> = {
  "a deadline or a delay of a step ends early: it is tried again under its key": [
    "find-expired",
    "find-stalled-tasks",
    "rank-fair-steps",
    "stage-due-steps",
    "take-unconfirmed-steps",
    "unconfirm-steps",
  ],
  "an outage is remembered that was none: what is silent in it is not counted": ["record-proofs"],
  "a breaker or a throttle ends early: the next failure opens it again": [
    "close-breaker",
    "find-breaker-facts",
    "find-breakers",
    "find-remotes",
    "lock-breaker",
  ],
  "a wait ends early, unless a Scheduler sees the jump: then it is held": [
    "hold-waits",
    "take-due-waits",
  ],
  "a schedule fires early, unless a Submission sees the jump: then it waits": [
    "lock-due-schedules",
  ],
  "what people decide is refused as too late, while a Scheduler holds the wait": [
    "state.lock_approval",
  ],
  "a lease ends early: the message is published twice": ["take-notifications"],
  "an instance counts as silent until its next heartbeat": [
    "find-agent-needs",
    "find-agent-slots",
    "find-agents",
    "find-announcing-instances",
    "find-broken-services",
    "find-contract-differences",
    "find-instances",
    "find-older-instances",
    "find-unavailable-agents",
    "find-unread-formats",
  ],
  "an alert is raised sooner": [
    "insert-dead-letters",
    "open-breakers",
    "state.delete_excess_messages",
  ],
  "a person sees another span of time": [
    "count-unsent-notifications",
    "find-fleet-facts",
    "find-inbox",
    "find-lane-facts",
    "find-late-waits",
    "find-losses",
    "find-outages-in-force",
    "find-overview",
    "find-partitions",
    "find-schedule-troubles",
    "find-stalled-consumers",
    "find-xmin-holders",
    "state.invariant_violations",
  ],
  "a lease ends early: two processes make a task, and its row lets one of them write it": [
    "claim-enqueued",
  ],
  "a lease ends early: two processes hand a signal to its task, which is the same signal to it": [
    "claim-enqueued-signals",
  ],
  "a submission may name a later instant, or a later id": [
    "state.enqueue_submission",
    "state.naming_fault",
  ],
  "it finds out how far the clock is trusted": ["state.trusted_now"],
  "a migration begins while a service runs, which can write no row in its words from then on": [
    "do $$",
  ],
};

const rawClock =
  /\b(?:statement_timestamp|clock_timestamp|transaction_timestamp|now)\(\)|\bcurrent_timestamp\b|\blocaltimestamp\b/i;

const clauses =
  /[,;]|\b(?:and|or|not|when|then|else|end|where|on|select|from|set|returning|filter|if|return|values)\b/i;

/** Whether a clause of this SQL has both the raw clock and a comparison. */
const comparesWithRawClock = (sql: string): boolean =>
  sql
    .replace(/--.*$/gm, "")
    .replace(/->>?|=>|<>|#>>?|@>|<@/g, " ")
    .replace(/\bbetween\b([\s\S]+?)\band\b/gi, ">= $1 <=")
    .split(clauses)
    .some((clause) => /[<>]/.test(clause) && rawClock.test(clause));

interface Statement {
  readonly name: string;
  readonly sql: string;
}

const ofFiles: readonly Statement[] = [...statementFiles].map(([name, file]) => ({
  name,
  sql: readFileSync(file, "utf8"),
}));

const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));

/**
 * The statements of migrations; a function or a view has its own name, any other its first line.
 */
const ofMigrations: readonly Statement[] = readdirSync(migrationsFolder)
  .flatMap((file) =>
    readFileSync(join(migrationsFolder, file), "utf8").split(
      /^(?=(?:alter|create|delete|do|drop|grant|insert|revoke|update)\b)/m,
    ),
  )
  .map((sql) => ({
    name:
      /^create (?:or replace )?(?:function|view) ([\w.]+)/.exec(sql)?.[1] ?? sql.split("\n", 1)[0]!,
    sql,
  }));

const statements = [...ofFiles, ...ofMigrations];

test("the raw clock decides nothing by which something that is kept is given up", () => {
  const comparing = statements.filter(({ sql }) => comparesWithRawClock(sql));
  // A function that a later migration replaces is one.
  expect([...new Set(comparing.map(({ name }) => name))].toSorted()).toEqual(
    Object.values(byRawClock).flat().toSorted(),
  );
});

test("what is kept until a time is kept from the latest that is known to have come", () => {
  // A later migration replaces a function of an earlier one.
  const current = [...new Map(statements.map((one) => [one.name, one])).values()];
  const keeping = current.filter(({ sql }) => /insert into [^;]*\bexpires_at\b/.test(sql));
  expect(keeping.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["insert-submissions", "state.enqueue_submission"]),
  );
  expect(keeping.filter(({ sql }) => !sql.includes("state.reached_now()"))).toEqual([]);
});

test("a statement that deletes compares nothing with the raw clock", () => {
  const deleting = statements.filter(
    // It reads how often it has alerted.
    ({ name, sql }) => /\bdelete from\b/.test(sql) && name !== "state.delete_excess_messages",
  );
  expect(deleting.length).toBeGreaterThan(10);
  expect(deleting.filter(({ sql }) => comparesWithRawClock(sql))).toEqual([]);
});

test.each([
  ["where expires_at <= statement_timestamp()", true],
  ["where clock_timestamp() > expires_at", true],
  ["where seen_at < now() - interval '1 day'", true],
  ["where at between x and current_timestamp", true],
  ["where task_id < state.first_id_of(statement_timestamp() - interval '1 day')", true],
  ["where expires_at <= state.trusted_now()", false],
  ["set ended_at = clock_timestamp() where id < 3", false],
  ["select (body ->> 'at'), clock_timestamp()", false],
])("the comparison with the raw clock in %j is found: %p", (sql, found) => {
  expect(comparesWithRawClock(sql)).toBe(found);
});
