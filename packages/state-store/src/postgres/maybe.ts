/**
 * A column of an expression: Postgres cannot tell whether it is ever null. Who binds the statement
 * says so.
 */
export type Maybe<Value> = Value | null | undefined;
