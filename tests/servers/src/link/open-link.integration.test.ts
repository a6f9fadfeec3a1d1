import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { type Link, openLink } from "./open-link.ts";

interface Echo extends AsyncDisposable {
  readonly link: Link;
  /** Everything that the server got, over all connections. */
  received(): string;
  /** Resolves when the server gets something. */
  hears(): Promise<unknown>;
  /** Resolves when a connection of the server has ended. */
  readonly hungUp: Promise<void>;
  client(): Promise<Talk>;
}

interface Talk {
  readonly socket: Socket;
  /** Sends the text and resolves to as many bytes of what comes back. */
  say(text: string): Promise<string>;
  /** Resolves to the code of the error that ended the connection; null: it ended well. */
  readonly ended: Promise<string | null>;
}

/** A server that says what it hears, behind a link. */
async function openEcho(): Promise<Echo> {
  const heard: Buffer[] = [];
  const ear = new EventEmitter();
  const hangUp = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      heard.push(chunk);
      socket.write(chunk);
      ear.emit("heard");
    });
    socket.on("close", () => hangUp.resolve());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const link = await openLink(`tcp://127.0.0.1:${port}`, () => 0.5);
  const talks: Socket[] = [];
  return {
    link,
    received: () => Buffer.concat(heard).toString(),
    hears: () => once(ear, "heard"),
    hungUp: hangUp.promise,
    async client() {
      const socket = connect(portOf(link), "127.0.0.1");
      talks.push(socket);
      const ended = new Promise<string | null>((resolve) => {
        socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
        socket.once("close", () => resolve(null));
      });
      await once(socket, "connect");
      return {
        socket,
        ended,
        async say(text) {
          let answer = "";
          const { promise, resolve } = Promise.withResolvers<string>();
          const listen = (chunk: Buffer) => {
            answer += chunk.toString();
            if (answer.length < text.length) return;
            socket.off("data", listen);
            resolve(answer);
          };
          socket.on("data", listen);
          socket.write(text);
          return promise;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of talks) socket.destroy();
      await link[Symbol.asyncDispose]();
      server.close();
      await once(server, "close");
    },
  };
}

test("a link without faults carries everything, in order, both ways", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  const text = "0123456789".repeat(300_000);
  expect(await talk.say(text)).toBe(text);
  talk.socket.end();
  expect(await talk.ended).toBeNull();
});

test("a slow link takes its latency in each direction, and not for each piece", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  echo.link.slow({ latencyMs: 50, jitterMs: 20 });
  const from = performance.now();
  const answers = Array.from({ length: 20 }, (_, index) => String(index % 10));
  for (const one of answers.slice(1)) talk.socket.write(one);
  await talk.say("0".repeat(answers.length));
  const took = performance.now() - from;
  expect(took).toBeGreaterThan(115);
  // Two seconds, if it took it for each piece.
  expect(took).toBeLessThan(1_800);
});

test("data that is held back in one direction arrives when the link heals", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  echo.link.hold(["toClient"]);
  const heard = echo.hears();
  const answer = talk.say("hello");
  await heard;
  expect(await Promise.race([answer, Promise.resolve("nothing yet")])).toBe("nothing yet");
  echo.link.heal();
  expect(await answer).toBe("hello");

  echo.link.hold(["toServer"]);
  const second = talk.say("again");
  await echo.client();
  expect(echo.received()).toBe("hello");
  echo.link.heal();
  expect(await second).toBe("again");
});

test("a reset ends the connections that are open, and no others", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  await talk.say("hello");
  echo.link.reset();
  expect(await talk.ended).toBe("ECONNRESET");
  const next = await echo.client();
  expect(await next.say("again")).toBe("again");
});

test("a link that is down takes no connections until it heals", async () => {
  await using echo = await openEcho();
  const before = await echo.client();
  await before.say("hello");
  echo.link.takeDown();
  expect(await before.ended).toBe("ECONNRESET");
  expect(await refusalAt(portOf(echo.link))).toBe("ECONNRESET");
  echo.link.heal();
  const after = await echo.client();
  expect(await after.say("hello")).toBe("hello");
});

test.each([
  ["before", ""],
  ["after", "begin; commit;"],
] as const)("a cut %s a pattern lets the server receive %j", async (when, got) => {
  await using echo = await openEcho();
  const talk = await echo.client();
  echo.link.cutAt({ pattern: Buffer.from("commit"), when });
  talk.socket.write("begin; commit;");
  expect(await talk.ended).toBe("ECONNRESET");
  await echo.hungUp;
  expect(echo.received()).toBe(got);
  expect(echo.link.cuts).toBe(1);
  const next = await echo.client();
  expect(await next.say("commit;")).toBe("commit;");
});

test("a cut after the answer lets the server send it all, and the client receive nothing", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  const heard: Buffer[] = [];
  talk.socket.on("data", (chunk: Buffer) => heard.push(chunk));
  echo.link.cutAt({ pattern: Buffer.from("commit"), when: "after", answer: Buffer.from("done") });
  talk.socket.write("commit; ");
  await echo.hears();
  talk.socket.write("done");
  expect(await talk.ended).toBe("ECONNRESET");
  expect(echo.received()).toBe("commit; done");
  expect(heard).toEqual([]);
});

test("a connection that is silent stays so until it is reset, while others are fine", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  await talk.say("hello");
  echo.link.silence();
  talk.socket.write("lost");
  const other = await echo.client();
  expect(await other.say("again")).toBe("again");
  expect(echo.received()).toBe("helloagain");
  echo.link.reset();
  expect(await talk.ended).toBe("ECONNRESET");
  while (echo.link.connections > 0) await new Promise(setImmediate);
});

test("every client receives injected data", async () => {
  await using echo = await openEcho();
  const talk = await echo.client();
  await talk.say("hello");
  const heard = once(talk.socket, "data");
  echo.link.inject(Buffer.from("news"));
  expect(await heard).toEqual([Buffer.from("news")]);
});

test("connecting through a link to a stopped server fails", async () => {
  await using gone = await openLink("tcp://127.0.0.1:1");
  expect(await refusalAt(portOf(gone))).toBe("ECONNRESET");
});

const portOf = ({ url }: Link): number => Number(new URL(url).port);

async function refusalAt(port: number): Promise<string | undefined> {
  const [error] = (await once(connect(port, "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  return error.code;
}
