import { concat, defineWorkflow, fallback } from "@holdfast/workflow";
import { z } from "zod";
import { flights, hotels, mail } from "../contracts/agents.ts";

const Trip = z.object({
  traveller: z.string(),
  email: z.email(),
  city: z.string(),
  fare: z.int(),
  rate: z.int(),
});

/** What the embassy says of the application, and the seat that the traveller asks for. */
const Visa = z.object({ granted: z.boolean(), number: z.string() });
const Seat = z.object({ seat: z.string() });

const completeWithin = "10s";

/** A trip that is held until the embassy says whether there is a visa. */
export const visaTrip = defineWorkflow("visa-trip.v1", Trip, (trip, step) => {
  const { traveller, city } = trip;
  const flight = step("flight", {
    call: flights.book({ traveller, city, price: trip.fare }),
    completeWithin,
  });
  const room = step("room", {
    call: hotels.book({ traveller, city, price: trip.rate }),
    completeWithin,
  });

  // No process waits meanwhile. Without a word in time, the room and the flight are cancelled; a
  // word that comes later alerts an operator.
  const visa = step.wait("visa", {
    signal: Visa,
    within: "30d",
    onDeadline: "fail",
    late: "alert",
  });

  // The airline gives no ticket without a visa: then both are cancelled, too.
  const { granted, number } = visa.payload;
  const ticket = step("ticket", {
    call: flights.ticket({ bookingId: flight.bookingId, granted, visa: number }),
    completeWithin,
  });

  // A traveller who asks for no seat gets any.
  const wish = step.wait("seat", { signal: Seat, within: "2d", onDeadline: "continue" });
  const seat = fallback(wish.payload.seat, "any");

  const letter = step("confirmation", {
    call: mail.confirm({
      to: trip.email,
      flight: concat(ticket.ticketId, ", seat ", seat),
      hotel: room.bookingId,
    }),
    completeWithin,
    onFailure: "halt",
  });
  return { ticket: ticket.ticketId, hotel: room.bookingId, seat, letter };
});
