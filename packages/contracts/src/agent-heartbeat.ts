import { type Static, Type } from "typebox";
import { defineMessage } from "./message.ts";
import { Count, Name } from "./parts.ts";

const AgentHeartbeatSchema = Type.Object({
  agent: Name,
  instance: Name,
  /** How many steps it does at a time. */
  capacity: Count(1),
  inFlight: Count(0),
  breaker: Type.Enum(["closed", "open", "half-open"]),
  /** For how many milliseconds more it leaves its remote service alone; 0 unless the breaker is open. */
  openForMs: Count(0),
});

/** An instance of an Agent is there, and says how it is. */
export type AgentHeartbeat = Static<typeof AgentHeartbeatSchema>;
export const AgentHeartbeat = defineMessage("agent.heartbeat.v1", AgentHeartbeatSchema);
