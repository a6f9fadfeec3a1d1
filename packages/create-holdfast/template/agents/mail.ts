import { host, PermanentFault } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";
export const mail = defineAgent("mail", {
  subscribe: { input: z.object({ to: z.email() }), output: z.string(), undo: "unsubscribe" },
  greet: { input: z.object({ to: z.email(), list: z.string() }), output: z.string() },
});
export const agent = host(mail, {
  subscribe: async () => "news",
  unsubscribe: async ({ input }) => console.log(`${input.to} is off the list again`),
  async greet({ to }, { idempotencyKey }) {
    if (to.endsWith(".invalid")) throw new PermanentFault("mail.declined", `${to} takes no mail`);
    return `message ${idempotencyKey}`;
  },
});
