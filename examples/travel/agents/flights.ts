import { existsSync } from "node:fs";
import { host, PermanentFault } from "@holdfast/agent";
import { flights } from "../contracts/agents.ts";
import { openLedger } from "../remote/ledger.ts";

const ledger = openLedger("flights");

export const agent = host(flights, {
  async book({ traveller, city }, { idempotencyKey: key }) {
    if (!ledger.make(key, `${traveller} flies to ${city}`)) {
      throw new PermanentFault("flights.cancelled", "This booking was cancelled");
    }
    return { bookingId: key };
  },
  async ticket({ bookingId, granted, visa }) {
    if (!granted) throw new PermanentFault("flights.no_visa", `No visa was given: ${visa}`);
    return { ticketId: `${bookingId} with ${visa}` };
  },
  async cancel({ key }) {
    // While this file is there, the airline's desk is closed and cancels no flight. A person has to
    // act.
    if (existsSync("ledger/desk-closed")) {
      throw new PermanentFault("flights.desk_closed", "The airline cancels nothing today");
    }
    ledger.undo(key);
  },
});
