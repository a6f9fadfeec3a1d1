import { defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";
import { mail } from "../agents/mail.ts";

const Welcome = z.object({ to: z.email() });

export const welcome = defineWorkflow("welcome.v1", Welcome, ({ to }, step) => {
  const list = step("subscribe", { call: mail.subscribe({ to }), completeWithin: "10s" });
  const sent = step("greet", { call: mail.greet({ to, list }), completeWithin: "10s" });
  return { sent };
});
