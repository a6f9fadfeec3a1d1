import { createServer, connect as dial, type Socket } from "node:net";

/** When a connection is lost: before the server has heard of it, or after it has done it. */
export type Moment = "before" | "after";

/** For tests: a way to the store that loses what was said on it. */
export interface Line extends AsyncDisposable {
  readonly url: string;
  /** Breaks the connection on which this text is said next. */
  loseNext(text: string, moment: Moment): void;
}

/** ReadyForQuery outside of any transaction: all that was asked for is done. */
const done = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function openLine(storeUrl: string): Promise<Line> {
  const target = new URL(storeUrl);
  const sockets = new Set<Socket>();
  let trap: { readonly text: string; readonly moment: Moment } | null = null;

  const join = (near: Socket): void => {
    const far = dial(Number(target.port || 5432), target.hostname);
    const breakOff = () => {
      near.destroy();
      far.destroy();
    };
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
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", breakOff).on("close", () => {
        sockets.delete(socket);
        breakOff();
      });
    }
  };

  const server = createServer(join);
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  const address = server.address();
  const url = new URL(storeUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    loseNext: (text, moment) => {
      trap = { text, moment };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
