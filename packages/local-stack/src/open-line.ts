import { createServer, connect as dial, type Socket } from "node:net";

/** When a connection is lost: before the server has heard what was said, or after it has done it. */
type Moment = "before" | "after";

/** For tests: a way to a server that can be broken. */
export interface Line extends AsyncDisposable {
  readonly url: string;
  /** How many connections there are. */
  readonly connections: number;
  /** Breaks all connections; new ones are let through. */
  cut(): void;
  /** Breaks all connections and lets none through until it is up again. */
  down(): void;
  /** From now on nothing passes in these connections, and nobody is told. */
  silence(): void;
  /** All is well again: for connections to come, and for those that are silent. */
  up(): void;
  /** Breaks the connection to Postgres on which this text is said next. */
  loseNext(text: string, moment: Moment): void;
  /** Whether that has yet to happen. */
  readonly isArmed: boolean;
  /** Says something to all clients, as if the server did. */
  inject(bytes: Buffer): void;
}

const defaultPorts: Readonly<Record<string, number>> = { "postgres:": 5432, "amqp:": 5672 };
/** ReadyForQuery outside of any transaction: all that Postgres was asked for is done. */
const done = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Puts a line between a client and the server at this URL. */
export async function openLine(serverUrl: string): Promise<Line> {
  const target = new URL(serverUrl);
  const port = Number(target.port || defaultPorts[target.protocol]);
  const wires = new Map<Socket, Socket>();
  let trap: { readonly text: string; readonly moment: Moment } | null = null;
  let isDown = false;

  const cut = (): void => {
    for (const [near, far] of wires) {
      near.destroy();
      far.destroy();
    }
  };

  const join = (near: Socket): void => {
    if (isDown) return void near.destroy();
    const far = dial(port, target.hostname);
    wires.set(near, far);
    const breakOff = () => {
      wires.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", breakOff).on("close", breakOff);
    let isLosingAnswer = false;
    near.on("data", (said) => {
      if (trap === null || !said.includes(trap.text)) return far.write(said);
      const { moment } = trap;
      trap = null;
      if (moment === "before") return breakOff();
      isLosingAnswer = true;
      return far.write(said);
    });
    far.on("data", (answer) => {
      if (!isLosingAnswer) near.write(answer);
      else if (answer.subarray(-done.length).equals(done)) breakOff();
    });
  };

  const server = createServer(join);
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  const address = server.address();
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    get connections() {
      return wires.size;
    },
    get isArmed() {
      return trap !== null;
    },
    cut,
    down() {
      isDown = true;
      cut();
    },
    silence() {
      for (const socket of [...wires].flat()) socket.pause();
    },
    up() {
      isDown = false;
      for (const socket of [...wires].flat()) socket.resume();
    },
    loseNext(text, moment) {
      trap = { text, moment };
    },
    inject(bytes) {
      for (const near of wires.keys()) near.write(bytes);
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((closed) => server.close(closed));
    },
  };
}
