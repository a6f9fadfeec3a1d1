import { host, PermanentFault } from "@holdfast/agent";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";

const echoed = z.object({ text: z.string(), fails: z.boolean() });

const echo = defineAgent("echo", {
  say: {
    input: echoed,
    output: z.object({ said: z.string() }),
  },
});

/** It halts where its input says so. */
export const echoing = defineWorkflow("echo-text.v1", echoed, ({ text, fails }, step) => {
  const { said } = step("say", {
    call: echo.say({ text, fails }),
    startWithin: "20s",
    completeWithin: "20s",
    onFailure: "halt",
  });
  return { said };
}).definition;

/**
 * What AGENT_MODULES loads: an Agent that says what its input says, in its output or as a fault.
 */
export const hosted = host(echo, {
  async say({ text, fails }) {
    if (fails) throw new PermanentFault("echo.failed", text);
    return { said: text };
  },
});
