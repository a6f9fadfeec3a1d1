import { once } from "node:events";
import { createServer } from "node:net";

const range = 1_000;

/** The first port from `base` upwards on which no process listens, at any address. */
export async function freePort(base: number): Promise<number> {
  for (let port = base; port < base + range; port++) {
    if (await isFree(port)) return port;
  }
  throw new Error(`No port is free between ${base} and ${base + range - 1}.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, exclusive: true });
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}
