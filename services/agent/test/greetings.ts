import { configureAgents, host } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const text = z.object({ text: z.string() });
const agentNamed = (name: string) => defineAgent(name, { say: { input: text, output: text } });
const say = async (input: z.infer<typeof text>) => input;

/** An Agent as it is. */
export const greetings = host(agentNamed("greetings"), { say });

/** An Agent that needs configuration. */
export const farewells = configureAgents(
  Type.Object({ FAREWELL: Type.String({ description: "a word" }) }),
  () => host(agentNamed("farewells"), { say }),
);

/** What is no Agent is left alone. */
export const language = "en";
