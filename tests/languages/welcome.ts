import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";

const Guest = z.object({ guest: z.string(), seconds: z.number() });

const badges = defineAgent("badges", {
  print: { input: Guest, output: z.object({ badge: z.string() }), undo: "shred" },
});
const doorbell = defineAgent("doorbell", {
  ring: {
    input: z.object({ guest: z.string() }),
    output: z.object({ ring: z.string() }),
    undo: "silence",
  },
});

const retry = { failures: 3, backoff: "200ms", max: "500ms" } as const;

/** Welcomes a guest: an Agent in Python prints a badge, and one in bash rings. */
export const welcome = defineWorkflow("welcome.v1", Guest, ({ guest, seconds }, step) => {
  const badge = step("badge", {
    call: badges.print({ guest, seconds }),
    startWithin: "5s",
    completeWithin: "5s",
    retry,
  });
  const bell = step("bell", {
    call: doorbell.ring({ guest }),
    after: [badge],
    startWithin: "5s",
    completeWithin: "5s",
    retry,
  });
  return { badge: badge.badge, ring: bell.ring };
});
