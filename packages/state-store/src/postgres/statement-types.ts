import type { ApplyStatements } from "./statements/apply.ts";
import type { ApprovalsStatements } from "./statements/approvals.ts";
import type { BreakersStatements } from "./statements/breakers.ts";
import type { BulkStatements } from "./statements/bulk.ts";
import type { ClaimStatements } from "./statements/claim.ts";
import type { DeadLettersStatements } from "./statements/dead-letters.ts";
import type { ExpireStatements } from "./statements/expire.ts";
import type { InspectStatements } from "./statements/inspect.ts";
import type { MigrateStatements } from "./statements/migrate.ts";
import type { OutboxStatements } from "./statements/outbox.ts";
import type { PauseStatements } from "./statements/pause.ts";
import type { PostgresStatements } from "./statements/postgres.ts";
import type { ReadStatements } from "./statements/read.ts";
import type { RetentionStatements } from "./statements/retention.ts";
import type { SchedulesStatements } from "./statements/schedules.ts";
import type { SignalsStatements } from "./statements/signals.ts";
import type { StatisticsStatements } from "./statements/statistics.ts";
import type { SubmitStatements } from "./statements/submit.ts";
import type { ViewStatements } from "./statements/view.ts";
import type { WaitsStatements } from "./statements/waits.ts";
import type { WorkflowsStatements } from "./statements/workflows.ts";

/** All statements. Their types come from the database: see `statements/`. */
interface Statements
  extends ApplyStatements,
    ApprovalsStatements,
    BreakersStatements,
    BulkStatements,
    ClaimStatements,
    ExpireStatements,
    InspectStatements,
    DeadLettersStatements,
    ViewStatements,
    MigrateStatements,
    OutboxStatements,
    PauseStatements,
    PostgresStatements,
    ReadStatements,
    RetentionStatements,
    SchedulesStatements,
    SignalsStatements,
    StatisticsStatements,
    SubmitStatements,
    WaitsStatements,
    WorkflowsStatements {}

export type StatementName = keyof Statements;
export type ParamsOf<Name extends StatementName> = Statements[Name]["params"];
type ColumnsOf<Name extends StatementName> = Statements[Name]["row"];

/** What a statement returns, as far as the database knows. */
export type RowOf<Name extends StatementName> = {
  readonly [Key in keyof ColumnsOf<Name>]: undefined extends ColumnsOf<Name>[Key]
    ? Exclude<ColumnsOf<Name>[Key], undefined>
    : ColumnsOf<Name>[Key];
};

/** Carries the type of the rows of a statement, where it is narrower than the types of Postgres. */
export interface Rows<Row, NeverNull extends PropertyKey = never> {
  readonly row?: Row;
  readonly neverNull?: NeverNull;
}

/**
 * `NeverNull`: columns that may be null in their table, and never are in what the statement
 * returns.
 */
export const rowsOf = <Row extends object, NeverNull extends keyof Row = never>(): Rows<
  Row,
  NeverNull
> => ({});

/**
 * Whether a column can be read as `Mine`. A column that may be null must be read as one that may be
 * null.
 */
type Fits<Mine, Column> = [Mine] extends [Column]
  ? undefined extends Column
    ? true
    : null extends Column
      ? null extends Mine
        ? true
        : false
      : true
  : false;

type Mismatched<Row, Columns, NeverNull> =
  | Exclude<keyof Row, keyof Columns>
  | Exclude<keyof Columns, keyof Row>
  | {
      [Key in keyof Row & keyof Columns]: Fits<
        Row[Key],
        Key extends NeverNull ? Columns[Key] | undefined : Columns[Key]
      > extends true
        ? never
        : Key;
    }[keyof Row & keyof Columns];

/**
 * Compiles only for rows with exactly the columns of the statement; else the error names those that
 * differ.
 */
export type MustFit<Name extends StatementName, Row, NeverNull> = [
  Mismatched<Row, ColumnsOf<Name>, NeverNull>,
] extends [never]
  ? unknown
  : { readonly mismatched: Mismatched<Row, ColumnsOf<Name>, NeverNull> };
