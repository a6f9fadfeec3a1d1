import { host } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";

const nothing = z.object({});

export const mail = host(defineAgent("mail", { send: { input: nothing, output: nothing } }), {
  send: async () => ({}),
});

const dated = z.object({ when: z.date() });

export const diary = host(defineAgent("diary", { note: { input: dated, output: nothing } }), {
  note: async () => ({}),
});
