import { host, PermanentFault } from "@holdfast/agent";
import { quotes } from "../contracts/agents.ts";

const fares: Readonly<Record<string, number>> = { Lyon: 120, Oslo: 240, Lima: 900, Atlantis: 980 };

export const agent = host(quotes, {
  async quote({ city }) {
    const flight = fares[city];
    if (flight === undefined) throw new PermanentFault("quotes.nowhere", `No flight to ${city}`);
    return { flight, hotel: 300, total: flight + 300 };
  },
});
