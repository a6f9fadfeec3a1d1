import { defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";
import { cards, flights, hotels, mail, quotes } from "../contracts/agents.ts";

const Trip = z.object({
  traveller: z.string(),
  email: z.email(),
  city: z.string(),
  card: z.string(),
});

const completeWithin = "10s";

export const bookTrip = defineWorkflow("book-trip.v1", Trip, (trip, step) => {
  const { traveller, city } = trip;
  const quote = step("quote", { call: quotes.quote({ city }), completeWithin });

  // Beside each other, once there is a quote.
  const flight = step("flight", {
    call: flights.book({ traveller, city, price: quote.flight }),
    after: [quote],
    completeWithin,
  });
  const hotel = step("hotel", {
    call: hotels.book({ traveller, city, price: quote.hotel }),
    after: [quote],
    completeWithin,
  });

  const payment = step("payment", {
    call: cards.charge({ card: trip.card, amount: quote.total }),
    after: [flight, hotel],
    completeWithin,
  });

  // The trip is paid for: a letter that cannot be sent is no reason to cancel it. A person looks at
  // it.
  const { bookingId } = flight;
  const letter = step("confirmation", {
    call: mail.confirm({ to: trip.email, flight: bookingId, hotel: hotel.bookingId }),
    completeWithin,
    onFailure: "halt",
  });
  return { flight: bookingId, hotel: hotel.bookingId, chargeId: payment.chargeId, letter };
});
