import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";

const Stay = z.object({ traveller: z.string(), city: z.string(), price: z.int() });
const Booked = z.object({ bookingId: z.string() });

export const quotes = defineAgent("quotes", {
  quote: {
    input: z.object({ city: z.string() }),
    output: z.object({ flight: z.int(), hotel: z.int(), total: z.int() }),
  },
});

export const flights = defineAgent("flights", {
  book: { input: Stay, output: Booked, undo: "cancel" },
  // A ticket ends with its booking, so it has no undo of its own.
  ticket: {
    input: z.object({ bookingId: z.string(), granted: z.boolean(), visa: z.string() }),
    output: z.object({ ticketId: z.string() }),
  },
});

/** The Agent of hotels, in Python: agents/hotels.py. */
export const hotels = defineAgent("hotels", {
  book: { input: Stay, output: Booked, undo: "cancel" },
});

export const cards = defineAgent("cards", {
  charge: {
    input: z.object({ card: z.string(), amount: z.int() }),
    output: z.object({ chargeId: z.string() }),
    undo: "refund",
  },
});

/**
 * The Agent of letters, in bash: agents/mail.sh. A letter cannot be taken back, so it has no undo.
 */
export const mail = defineAgent("mail", {
  confirm: {
    input: z.object({ to: z.string(), flight: z.string(), hotel: z.string() }),
    output: z.object({ messageId: z.string() }),
  },
});
