import { once } from "node:events";
import { createServer, connect as dial, type Socket } from "node:net";

export interface PoolerOptions {
  /** Whether connections share one session of the server, transaction by transaction. */
  readonly shared: boolean;
  /** What becomes of the options that a client asks for at its start. */
  readonly options: "passed on" | "dropped" | "refused";
}

/**
 * Stands between clients and a server as poolers do, with as much of the protocol as that takes.
 * Answers greetings with a session number of its own.
 */
export async function openPooler(
  serverUrl: string,
  options: PoolerOptions,
): Promise<AsyncDisposable & { readonly url: string }> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    return socket;
  };
  const toServer = () => keep(dial(Number(target.port), target.hostname));
  const shared = options.shared ? sharedSession(toServer) : null;
  const server = createServer((client) => {
    keep(client);
    client.once("data", (startup) => {
      const asked = parseStartup(startup);
      if (options.options === "refused" && asked.has("options")) return refuse(client);
      if (options.options === "dropped") asked.delete("options");
      if (shared === null) ownSession(client, toServer(), writeStartup(asked));
      else shared(client, writeStartup(asked));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.port = String((server.address() as { readonly port: number }).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Every connection has a session of its own, under another number. */
function ownSession(client: Socket, server: Socket, startup: Buffer): void {
  server.write(startup);
  const read = messages((type, answer) => {
    client.write(type === "K" ? renumbered(answer) : answer);
  });
  server.on("data", read).on("close", () => client.destroy());
  client.on("data", (data) => server.write(data)).on("close", () => server.destroy());
}

/**
 * The first connection logs in for all; each later one gets the answer that all is well. One after
 * the other has the session, until the server is ready for the next.
 */
function sharedSession(toServer: () => Socket) {
  let server: Socket | null = null;
  let owner: Socket | null = null;
  const waiting: { readonly client: Socket; readonly data: Buffer }[] = [];

  const next = (): void => {
    if (owner !== null) return;
    const turn = waiting.shift();
    if (turn === undefined) return;
    owner = turn.client;
    server?.write(turn.data);
  };
  const read = messages((type, answer) => {
    owner?.write(type === "K" ? renumbered(answer) : answer);
    // Ready, and outside of a transaction.
    if (type !== "Z" || answer.toString("latin1", 5) !== "I") return;
    owner = null;
    next();
  });

  return (client: Socket, startup: Buffer): void => {
    if (server === null) {
      owner = client;
      server = toServer().on("data", read);
      server.write(startup);
    } else {
      client.write(Buffer.concat([authenticated, key(1), ready]));
    }
    client.on("data", (data) => {
      if (data.toString("latin1", 0, 1) === "X") return;
      if (owner === client) return void server?.write(data);
      waiting.push({ client, data });
      next();
    });
  };
}

/** Cuts a stream into messages: a letter, a length that counts itself, a body. */
function messages(handle: (type: string, message: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = rest.readInt32BE(1) + 1;
      handle(rest.toString("latin1", 0, 1), rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function key(number: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeInt32BE(number);
  return message("K", body);
}

const authenticated = message("R", Buffer.alloc(4));
const ready = message("Z", Buffer.from("I"));
const renumbered = (greeting: Buffer): Buffer => key(greeting.readInt32BE(5) + 1_000_000);

function refuse(client: Socket): void {
  const fields = ["SFATAL", "C08P01", "Munsupported startup parameter: options", ""];
  client.end(message("E", Buffer.from(`${fields.join("\0")}\0`)));
}

/** A length, the version of the protocol, then names and values. */
function parseStartup(startup: Buffer): Map<string, string> {
  const words = startup.toString("utf8", 8).split("\0");
  const pairs = words.flatMap((word, index) =>
    index % 2 === 0 && word !== "" ? [[word, words[index + 1] ?? ""] as const] : [],
  );
  return new Map(pairs);
}

function writeStartup(asked: ReadonlyMap<string, string>): Buffer {
  const body = Buffer.from(`${[...asked].flat().join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}
