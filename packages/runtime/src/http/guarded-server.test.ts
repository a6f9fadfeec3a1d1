import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { readProxies } from "./addresses.ts";
import { defaultLimits, type GuardOptions, openGuard } from "./guarded-server.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const answer: Handler = (_, response) => void response.end("served");

async function serve(options: Partial<GuardOptions> = {}, handler: Handler = answer) {
  const guard = openGuard({ ...defaultLimits, ...options });
  const server = guard.server(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    guard,
    port,
    /** Closes the server, and resolves once it has, to the milliseconds that it took. */
    async close() {
      const begun = performance.now();
      await new Promise((resolve) => void server.close(resolve));
      return performance.now() - begun;
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Asks on a connection of its own. */
async function ask(
  port: number,
  headers: Readonly<Record<string, string>> = {},
  { from = "127.0.0.1", path = "/" } = {},
): Promise<Answer> {
  const asking = request({
    port,
    host: "127.0.0.1",
    localAddress: from,
    path,
    headers,
    agent: false,
  });
  const [response] = (await once(asking.end(), "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

async function open(port: number, text = "", from = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

const head = (path = "/", more = "") => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;

/** Reads until the server has said so much. */
async function heard(socket: Socket, text: string): Promise<string> {
  let received = "";
  while (!received.includes(text)) received += String((await once(socket, "data"))[0]);
  return received;
}

/** Resolves to all that the server has said once it has closed the connection. */
async function textOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  await once(socket, "close");
  return text;
}

test("on loopback another name of this host and a page of another one are refused, with what to do", async () => {
  await using served = await serve();
  const rebound = await ask(served.port, { host: "rebind.evil.example:3001" });
  expect(rebound.status).toBe(421);
  expect(JSON.parse(rebound.text)).toMatchObject({
    code: "request.misdirected",
    detail: expect.stringContaining("Call it as 127.0.0.1 or localhost"),
  });
  const page = await ask(served.port, { origin: "http://rebind.evil.example" });
  expect(page.status).toBe(421);
  expect((await ask(served.port, { origin: `http://127.0.0.1:${served.port}` })).status).toBe(200);
});

test("every answer says that its type is not to be guessed and that it is not to be kept", async () => {
  await using served = await serve();
  for (const headers of [{}, { host: "evil.example" }]) {
    const { headers: found } = await ask(served.port, headers);
    expect(found).toMatchObject({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
  }
});

test("every answer has the id of its request, and a refusal says it in its body, too", async () => {
  const seen: unknown[] = [];
  await using served = await serve({}, (asked, response) => {
    seen.push(asked.headers["x-request-id"]);
    response.end();
  });
  const mine = { "x-request-id": "mine-1" };
  expect((await ask(served.port, mine)).headers["x-request-id"]).toBe("mine-1");
  const made = (await ask(served.port)).headers["x-request-id"];
  expect(seen).toEqual(["mine-1", made]);
  for (const headers of [{ host: "evil.example" }, { expect: "the unexpected" }]) {
    const refused = await ask(served.port, { ...headers, ...mine });
    expect(refused.headers["x-request-id"]).toBe("mine-1");
    expect(JSON.parse(refused.text)).toMatchObject({ requestId: "mine-1" });
  }
  const client = await open(served.port, "nonsense\r\n\r\n");
  const text = await heard(client, "}");
  const [, id = ""] = /\r\nx-request-id: (\S+)\r\n/.exec(text) ?? [];
  expect(text).toContain(`"requestId":"${id}"`);
  client.destroy();
});

test("the type of a refusal leads to a page about its code, on the same server", async () => {
  await using served = await serve();
  const refused = await ask(served.port, { host: "evil.example" });
  const { type, retryable } = JSON.parse(refused.text) as { type: string; retryable: boolean };
  expect([type, retryable]).toEqual(["/docs/faults/request.misdirected", false]);
  const page = await ask(served.port, {}, { path: type });
  expect(page).toMatchObject({
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(page.text).toContain("<code>request.misdirected</code>");
  expect(page.text).toContain("set <code>HTTP_NAMES</code>");
  expect(page.text).not.toContain("`");
});

test.each(["/docs/faults/", "/docs/faults/none", "/docs/faults/toString", "/docs/faults/a/b"])(
  "there is no page %s: the handler answers",
  async (path) => {
    await using served = await serve();
    expect((await ask(served.port, {}, { path })).text).toBe("served");
  },
);

test("at most two requests of one connection are with handlers, and all are answered in order", async () => {
  const waiting: ServerResponse[] = [];
  let most = 0;
  await using served = await serve({}, (_, response) => {
    most = Math.max(most, waiting.push(response));
  });
  const paths = Array.from({ length: 12 }, (_, at) => `/${at}`);
  const client = await open(served.port, paths.map((path) => head(path)).join(""));
  let received = "";
  client.on("data", (piece: Buffer) => void (received += piece.toString()));
  for (let answered = 0; answered < paths.length; answered += 1) {
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const response = waiting.shift();
    response?.end(`<${response.req.url}>`);
  }
  while (!received.includes("</11>")) await once(client, "data");
  expect(most).toBe(2);
  expect(received.match(/<\/\d+>/g)).toEqual(paths.map((path) => `<${path}>`));
  client.destroy();
});

test("an answer that waits for its turn learns that its client has gone, and holds nothing then", async () => {
  const closed: string[] = [];
  await using served = await serve({}, (asked, response) => {
    response.once("close", () => closed.push(asked.url ?? ""));
  });
  const client = await open(
    served.port,
    ["/a", "/b", "/c", "/d"].map((path) => head(path)).join(""),
  );
  while (served.guard.memory.used === 0) await new Promise((resolve) => setImmediate(resolve));
  client.destroy();
  while (closed.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(closed.toSorted()).toEqual(["/a", "/b"]);
  while (served.guard.memory.used > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("an address that holds its share of connections takes none from others, and its idle ones make room", async () => {
  const busy: ServerResponse[] = [];
  await using served = await serve({ connections: 40, addressShare: 25 }, (asked, response) => {
    if (asked.url === "/") response.end("served");
    else busy.push(response);
  });
  const clients = await Promise.all(Array.from({ length: 30 }, () => open(served.port)));
  expect((await ask(served.port)).status).toBe(200);
  for (let count = 1; count <= 10; count += 1) {
    clients.push(await open(served.port, head("/stays")));
    while (busy.length < count) await new Promise((resolve) => setImmediate(resolve));
  }
  const refused = await open(served.port, head());
  await once(refused.resume(), "close");
  expect((await ask(served.port, {}, { from: "127.0.0.2" })).status).toBe(200);
  for (const socket of clients) socket.destroy();
});

test("operators are answered while strangers hold all connections that are for all, and probes are, too", async () => {
  await using served = await serve(
    {
      connections: 40,
      addressShare: 50,
      isOperator: ({ authorization }) => authorization === "Bearer right",
    },
    (asked, response) => {
      if (asked.url !== "/stays") response.end("served");
    },
  );
  const strangers: Socket[] = [];
  for (let count = 0; count < 36; count += 1) {
    strangers.push(await open(served.port, head("/stays"), `127.0.0.${2 + (count % 2)}`));
  }
  const refused = await ask(served.port, {}, { from: "127.0.0.9" });
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text)).toMatchObject({ code: "request.overload" });
  expect((await ask(served.port, {}, { path: "/health/live" })).status).toBe(200);
  const authorization = "Bearer right";
  expect((await ask(served.port, { authorization }, { from: "127.0.0.2" })).status).toBe(200);
  const silent = await open(served.port, "", "127.0.0.9");
  await once(silent.resume(), "close");
  for (const socket of strangers) socket.destroy();
});

test("half bodies of one address leave room for those of others, and a token opens the reserve", async () => {
  await using served = await serve(
    {
      isOperator: ({ authorization }) => authorization === "Bearer right",
      bodyBytes: 256 * 1024,
    },
    (asked, response) => {
      asked.resume().once("end", () => response.end("served"));
    },
  );
  const half = "content-length: 262144\r\n";
  const begun = `PUT / HTTP/1.1\r\nhost: localhost\r\n${half}\r\n{`;
  const held: Socket[] = [];
  for (let count = 0; count < 130; count += 1) held.push(await open(served.port, begun));
  const put = async (from: string, more = "") => {
    const body = "x".repeat(20_000);
    const text = `PUT / HTTP/1.1\r\nhost: localhost\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;
    const client = await open(served.port, text, from);
    const answered = await heard(client, "\r\n\r\n");
    client.destroy();
    return answered.slice(9, 12);
  };
  expect(await put("127.0.0.1")).toBe("503");
  expect(await put("127.0.0.2")).toBe("200");
  expect(await put("127.0.0.1", "authorization: Bearer right\r\n")).toBe("200");
  for (const socket of held) socket.destroy();
});

test("behind a trusted proxy each client has its own share, and the proxy none", async () => {
  await using served = await serve(
    {
      connections: 40,
      addressShare: 25,
      proxies: readProxies("127.0.0.1"),
    },
    (asked, response) => {
      response.end(served.guard.callerOf(asked).block);
    },
  );
  const clients = await Promise.all(Array.from({ length: 30 }, () => open(served.port)));
  const forwarded = { "x-forwarded-for": "6.6.6.6, 2001:db8:1:2:3::4" };
  expect((await ask(served.port, forwarded)).text).toBe("2001:db8:1:2::/64");
  expect((await ask(served.port, forwarded, { from: "127.0.0.2" })).text).toBe("127.0.0.2");
  for (const socket of clients) socket.destroy();
});

/**
 * Milliseconds: far less than a connection without a request is kept, and than a busy machine
 * needs.
 */
const atOnce = 5_000;

test("a server that closes ends each connection with its last answer, for which it waits", async () => {
  const { promise: answered, resolve: answerAll } = Promise.withResolvers<void>();
  const { promise: allBegun, resolve: beginAll } = Promise.withResolvers<void>();
  let begun = 0;
  await using served = await serve({}, (asked, response) => {
    begun += 1;
    if (begun === 3) beginAll();
    // Its head says that the connection is kept.
    if (asked.url === "/begun") response.write("begun ");
    void answered.then(() => response.end(`answer to ${asked.url}`));
  });
  const sockets = [await open(served.port, head("/begun")), await open(served.port, head("/1"))];
  const texts = sockets.map(textOf);
  sockets[1]?.write(head("/2"));
  await allBegun;
  const closed = served.close();
  // Asked while the server closes, on a connection that it keeps for its answers.
  sockets[1]?.write(head("/3"));
  answerAll();
  const [first = "", second = ""] = await Promise.all(texts);
  expect(first).toContain("begun ");
  expect(first).toContain("answer to /begun");
  expect(second).toContain("answer to /1");
  expect(second).toMatch(/connection: close[^]*answer to \/2/i);
  expect(second).not.toContain("answer to /3");
  expect(await closed).toBeLessThan(atOnce);
});

test("a server that closes waits neither for connections without a request nor for the end of streams", async () => {
  await using served = await serve({ closeWithin: 60_000 }, (asked, response) => {
    if (asked.url !== "/stream") return void response.end("served");
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
  });
  const silent = await open(served.port);
  const halved = await open(served.port, "GET / HTTP/1.1\r\nhost:");
  const idle = await open(served.port, head());
  await heard(idle, "served");
  const stream = await open(served.port, head("/stream"));
  await heard(stream, "retry");
  const texts = [silent, halved, idle, stream].map(textOf);
  expect(await served.close()).toBeLessThan(atOnce);
  await Promise.all(texts);
});

test("a request that comes while the server closes is refused with what to do, and its connection closed", async () => {
  await using served = await serve();
  const socket = await open(served.port);
  const text = textOf(socket);
  const closed = served.close();
  socket.write(head());
  expect(await text).toMatch(/^HTTP\/1\.1 503 [^]*connection: close[^]*"request\.overload"/i);
  expect(await text).toContain("This process is stopping. Send the same request again");
  await closed;
});

test.each<[string, string, Handler]>([
  ["whose body never ends", "content-length: 10\r\n", (asked) => void asked.resume()],
  ["whose handler never answers", "", () => {}],
  ["whose answer is never read", "", (_, response) => void response.end(Buffer.alloc(64 << 20))],
])("a server that closes cuts a request %s when its time is over", async (_, more, handler) => {
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const closeWithin = 300;
  await using served = await serve({ closeWithin }, (asked, response) => {
    begin();
    handler(asked, response);
  });
  const socket = (await open(served.port)).pause();
  socket.write(head("/", more));
  await hasBegun;
  const took = await served.close();
  expect(took).toBeGreaterThan(closeWithin * 0.9);
  expect(took).toBeLessThan(atOnce);
  socket.destroy();
});
