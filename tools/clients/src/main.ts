import { writeClients } from "./write-clients.ts";

await writeClients();
