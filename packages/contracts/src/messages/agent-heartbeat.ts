import { breakerStates } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { operationNamePattern } from "../definition/definition-schema.ts";
import { limits } from "../limits/limits.ts";
import { ContractHash, Count, Name } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const AgentHeartbeatSchema = Type.Object({
  /** Its name. */
  agent: Name,
  /** The process, by a name of its own. */
  instance: Name,
  /** How many steps it does at a time. */
  capacity: Count(1),
  /** How many of its slots are taken. */
  inFlight: Count(0),
  /** Whether it leaves its remote service alone. */
  breaker: Type.Enum([...breakerStates]),
  /**
   * Milliseconds for which it still leaves its remote service alone; 0 unless the breaker is open.
   */
  openForMs: Count(0),
  /**
   * Milliseconds until the next heartbeat. Agents of older releases do not send it: they beat every
   * five seconds. An instance that misses two heartbeats in a row counts as gone.
   */
  everyMs: Type.Optional(Count(1)),
  /** Whether the instance stops in order, in its last heartbeat: it takes no more requests. */
  leaving: Type.Optional(Type.Boolean()),
  /**
   * All operations that it performs, those that undo others included. Agents of older releases do
   * not send it, nor do Agents with more operations than fit: then they are unknown.
   */
  operations: Type.Optional(
    Type.Array(Type.String({ maxLength: 100, pattern: operationNamePattern }), {
      maxItems: limits.operations,
    }),
  ),
  /**
   * The hash of the contract of each operation, in the order of `operations`; empty where there is
   * none, as for undos. Absent: they are unknown, and each request shows whether the Agent can read
   * it.
   */
  contracts: Type.Optional(Type.Array(ContractHash, { maxItems: limits.operations })),
});

/** An instance of an Agent is there, and says how it is. */
export type AgentHeartbeat = Static<typeof AgentHeartbeatSchema>;
export const AgentHeartbeat = defineMessage("agent.heartbeat.v1", AgentHeartbeatSchema);
