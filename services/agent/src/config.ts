import { AgentConfig } from "@holdfast/agent";
import { Type } from "typebox";

/** What the host of the reference Agents can be told, and by which environment variables. */
export const AgentHostConfig = Type.Object({
  ...AgentConfig.properties,
  /** Which Agents this process runs, separated by commas. */
  AGENTS: Type.String({
    default: "inventory,payments,shipping,notifications",
    pattern: "^[a-z-]+(,[a-z-]+)*$",
    description: "names of Agents, separated by commas",
  }),
  /** Where the remote services are. */
  PARTNERS_URL: Type.String({
    pattern: "^https?://",
    description: "an HTTP URL such as http://localhost:4000",
  }),
});
