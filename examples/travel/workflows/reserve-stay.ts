import { defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";
import { cards, hotels } from "../contracts/agents.ts";

const Stay = z.object({
  traveller: z.string(),
  city: z.string(),
  price: z.int(),
  card: z.string(),
});

const completeWithin = "10s";

/** A room that is held for two days, in which the guest may cancel, and paid for after that. */
export const reserveStay = defineWorkflow("reserve-stay.v1", Stay, (stay, step) => {
  const { traveller, city, price } = stay;
  const room = step("room", { call: hotels.book({ traveller, city, price }), completeWithin });

  // No process waits meanwhile. A task that is cancelled in these two days gives the room back and
  // charges nothing.
  step.sleep("cool-off", { for: "2d" });

  const payment = step("payment", {
    call: cards.charge({ card: stay.card, amount: price }),
    completeWithin,
  });
  return { room: room.bookingId, chargeId: payment.chargeId };
});
