import { AgentConfig } from "@holdfast/agent";
import { longestSetting, Names } from "@holdfast/runtime";
import { Type } from "typebox";

/** The environment variables that the host of Agents reads. */
export const AgentHostConfig = Type.Object({
  ...AgentConfig.properties,
  /** The modules that export the Agents: paths from the working directory, or names of packages. */
  AGENT_MODULES: Names({
    maxLength: longestSetting,
    description:
      "paths such as ./agents/hotels.js, or names of packages, separated by commas: modules that export Agents",
  }),
  /** Which of the loaded Agents this process runs; all of them unless set. */
  AGENT_NAMES: Type.Optional(
    Type.String({
      maxLength: 1_000,
      pattern: "^[a-z0-9-]+(,[a-z0-9-]+)*$",
      description: "names of Agents, separated by commas",
    }),
  ),
});
