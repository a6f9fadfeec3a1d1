import { concat, defineWorkflow, fallback, greaterThan } from "@holdfast/workflow";
import { z } from "zod";
import { cards, flights, hotels, mail, quotes } from "../contracts/agents.ts";

const Trip = z.object({
  traveller: z.string(),
  /** Who travels, by the id that `ACCESS_FILE` knows. */
  travellerId: z.string(),
  email: z.email(),
  city: z.string(),
  card: z.string(),
});

/** What each fills in who approves a trip. */
const Release = z.object({ costCentre: z.string().min(1) });

const completeWithin = "10s";

/** A trip on the company's account. One above 1,000 needs two of the travel desk. */
export const businessTrip = defineWorkflow("business-trip.v1", Trip, (trip, step) => {
  const { traveller, city } = trip;
  const quote = step("quote", { call: quotes.quote({ city }), completeWithin });
  const flight = step("flight", {
    call: flights.book({ traveller, city, price: quote.flight }),
    completeWithin,
  });
  const room = step("room", {
    call: hotels.book({ traveller, city, price: quote.hotel }),
    completeWithin,
  });

  // Both are held meanwhile, and cancelled if one of the desk rejects the trip, or no two approve
  // it in time. No one approves a trip of their own.
  const release = step.approve("release", {
    audience: "travel-desk",
    quorum: 2,
    not: ["submitter", trip.travellerId],
    form: Release,
    within: "2d",
    remindAfter: "4h",
    onDeadline: "reject",
    show: { traveller, city, total: quote.total },
    onlyIf: greaterThan(quote.total, 1_000),
  });

  // A trip that needs no approval is on the account of the traveller's own department.
  const costCentre = fallback(release.form.costCentre, "own department");
  const payment = step("payment", {
    call: cards.charge({ card: trip.card, amount: quote.total }),
    completeWithin,
  });
  step("confirmation", {
    call: mail.confirm({
      to: trip.email,
      flight: concat(flight.bookingId, ", paid by ", costCentre),
      hotel: room.bookingId,
    }),
    completeWithin,
    onFailure: "halt",
  });
  return {
    flight: flight.bookingId,
    hotel: room.bookingId,
    chargeId: payment.chargeId,
    costCentre,
  };
});
