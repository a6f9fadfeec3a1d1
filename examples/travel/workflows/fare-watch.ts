import { concat, defineSchedule, defineWorkflow, scheduledAt } from "@holdfast/workflow";
import { z } from "zod";
import { mail, quotes } from "../contracts/agents.ts";

const Watch = z.object({ email: z.email(), city: z.string(), day: z.iso.date() });

const completeWithin = "10s";

/** What a flight and a room cost on a day, in a letter. */
export const fareWatch = defineWorkflow("fare-watch.v1", Watch, ({ email, city, day }, step) => {
  const quote = step("quote", { call: quotes.quote({ city }), completeWithin });
  const letter = step("letter", {
    call: mail.confirm({
      to: email,
      flight: concat(day, ": a flight for ", quote.flight),
      hotel: concat(day, ": a room for ", quote.hotel),
    }),
    completeWithin,
  });
  return { day, letter: letter.messageId };
});

/**
 * Submits one each morning, as clocks in Budapest show it. After an outage over several days one
 * letter is enough: it has the prices of today.
 */
export const fareWatchDaily = defineSchedule("fare-watch-daily", {
  workflow: fareWatch,
  cron: "30 6 * * *",
  zone: "Europe/Budapest",
  input: { email: "office@example.com", city: "Lyon", day: scheduledAt("date") },
  catchUp: "last",
  jitter: "5m",
  pauseAfterFailures: 3,
});
