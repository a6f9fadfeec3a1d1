import { holdfastClient } from "@holdfast/client";
import { bookTrip } from "./workflows/book-trip.ts";

const client = holdfastClient({ url: process.env["HOLDFAST_URL"] ?? "http://127.0.0.1:3000" });
const count = Number(process.argv[2] ?? 10);

/** Every fourth card is declined, and every tenth trip goes to a hotel without rooms. */
const trips = Array.from({ length: count }, (_, n) => ({
  traveller: `Traveller ${n}`,
  email: `traveller-${n}@example.com`,
  city: n % 10 === 9 ? "Atlantis" : "Lyon",
  card: n % 4 === 3 ? "declined" : "card-1",
}));

await Promise.all(
  trips.map(async (trip) => {
    const task = await client.submit(bookTrip, trip);
    const { state, faultCode } = await client.result(task, { wait: "2m" });
    console.log(JSON.stringify({ id: task.id, ...trip, state, faultCode }));
  }),
);
