import { host, PermanentFault } from "@holdfast/agent";
import { echo } from "./workflows.ts";

/** What AGENT_MODULES loads. */
export const hosted = host(echo, {
  async say({ text, fails }) {
    if (fails) throw new PermanentFault("echo.failed", text);
    return { said: text };
  },
});
