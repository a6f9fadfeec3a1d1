import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { openHealth } from "@holdfast/runtime";
import { openGuard } from "@holdfast/runtime/http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { openHttp } from "./open-http.ts";

/** The real server on real sockets, without a store: nothing here comes so far. */
const requestTimeout = 400;
const resources = new AsyncDisposableStack();
let port: number;
let connections: () => Promise<number>;
let taken: unknown[] = [];
beforeAll(async () => {
  const health = openHealth(new AbortController().signal);
  const guard = openGuard({ connections: 20, requestTimeout, addressShare: 100 });
  const app = resources.use(openHttp(health, pino({ level: "silent" }), guard));
  app.post("/echo", async ({ body, bodyBytes }) => {
    taken.push(body);
    return { bodyBytes };
  });
  app.get<{ Params: { id: string } }>("/items/:id", async ({ params }) => params);
  app.get("/slow", () => new Promise(() => {}));
  connections = promisify(app.server.getConnections.bind(app.server));
  await app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(async () => {
  await resources.disposeAsync();
});

interface Talk extends Disposable {
  readonly socket: Socket;
  write(text: string): void;
  /** Resolves to all that came, once the server has closed the connection. */
  readonly closed: Promise<string>;
  /** Resolves to all that came, once it has this in it. */
  heard(text: string): Promise<string>;
}

async function talk(): Promise<Talk> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString();
    socket.emit("heard");
  });
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  socket.on("close", () => resolve(received));
  await once(socket, "connect");
  return {
    socket,
    closed,
    write: (text) => void socket.write(text),
    async heard(text) {
      while (!received.includes(text)) await once(socket, "heard");
      return received;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

const head = (length: number | "chunked", extra = ""): string =>
  [
    "POST /echo HTTP/1.1",
    "host: localhost",
    "content-type: application/json",
    length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`,
    extra,
    "",
  ]
    .filter((line, index, lines) => line !== "" || index === lines.length - 1)
    .join("\r\n")
    .concat("\r\n");

/** What an answer says, whose body must be a problem. */
function problemIn(answer: string): { readonly status: number; readonly code: string } {
  const [headers = "", body = ""] = answer.split("\r\n\r\n");
  expect(headers.toLowerCase()).toContain("content-type: application/problem+json");
  const problem = JSON.parse(body) as { readonly status: number; readonly code: string };
  expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${problem.status} `));
  return problem;
}

describe("a request that does not arrive in time is answered 408 and cut off", () => {
  test.each<[string, string, string]>([
    ["its headers drip", "POST /echo HTTP/1.1\r\nhost: localhost\r\n", "x-a: b\r\n"],
    ["its body drips", `${head(1_000)}{`, " "],
    ["its chunks drip", head("chunked"), "1\r\n \r\n"],
    ["nothing comes at all", "", ""],
  ])("when %s", async (_, beginning, drop) => {
    using client = await talk();
    const startedAt = performance.now();
    client.write(beginning);
    const dripping = setInterval(() => client.write(drop), 20);
    const answer = await client.closed;
    clearInterval(dripping);
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThan(requestTimeout * 0.9);
    expect(took).toBeLessThan(requestTimeout * 10);
    expect(problemIn(answer)).toMatchObject({ status: 408, code: "request.timeout" });
  });
});

describe("an invalid HTTP request is answered with a problem", () => {
  const longUrl = `GET /${"x".repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const manyHeaders = Array.from({ length: 101 }, (_, index) => `x-${index}: y\r\n`).join("");
  test.each<[string, string, number, string]>([
    ["a URL that is too long", longUrl, 431, "request.headers_too_large"],
    [
      "a parameter that is too long",
      `GET /items/${"x".repeat(200)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      414,
      "request.url_too_long",
    ],
    [
      "a URL that cannot be decoded",
      "GET /items/%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
      400,
      "request.url_invalid",
    ],
    [
      "headers that are too long",
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
      431,
      "request.headers_too_large",
    ],
    [
      "too many headers",
      `GET / HTTP/1.1\r\nhost: localhost\r\n${manyHeaders}connection: close\r\n\r\n`,
      431,
      "request.headers_too_large",
    ],
    ["garbage", "garbage\r\n\r\n", 400, "request.malformed"],
    [
      "a method that there is not",
      "FLY / HTTP/1.1\r\nhost: localhost\r\n\r\n",
      400,
      "request.malformed",
    ],
    ["two lengths", head(1, "content-length: 2"), 400, "request.malformed"],
    ["a length and chunks", head("chunked", "content-length: 2"), 400, "request.malformed"],
    ["a chunk that is none", `${head("chunked")}zz\r\n`, 400, "request.malformed"],
    [
      "an expectation",
      "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: more\r\n\r\n",
      417,
      "request.expectation_failed",
    ],
    [
      "a version of HTTP that there is not",
      "GET / HTTP/9.9\r\nhost: localhost\r\n\r\n",
      400,
      "request.malformed",
    ],
  ])("%s", async (_, request, status, code) => {
    using client = await talk();
    client.write(request);
    expect(problemIn(await client.closed)).toMatchObject({ status, code });
  });
});

describe("a body of another encoding is refused", () => {
  test.each<[string, string, number, string]>([
    ["gzip", "content-encoding: gzip", 415, "request.content_encoding_unsupported"],
    ["br", "content-encoding: br", 415, "request.content_encoding_unsupported"],
    ["one that there is not", "content-encoding: x", 415, "request.content_encoding_unsupported"],
    [
      "UTF-16",
      "content-type: application/json; charset=utf-16",
      415,
      "request.charset_unsupported",
    ],
  ])("%s", async (_, header, status, code) => {
    using client = await talk();
    const type = header.startsWith("content-type") ? "" : "content-type: application/json\r\n";
    client.write(
      `POST /echo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${type}${header}\r\ncontent-length: 2\r\n\r\n{}`,
    );
    expect(problemIn(await client.closed)).toMatchObject({ status, code });
  });

  test.each(["content-encoding: identity", 'content-type: application/json;charset="UTF-8"'])(
    "but not with %s",
    async (header) => {
      using client = await talk();
      const type = header.startsWith("content-type") ? "" : "content-type: application/json\r\n";
      client.write(
        `POST /echo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${type}${header}\r\ncontent-length: 2\r\n\r\n{}`,
      );
      expect(await client.closed).toMatch(/^HTTP\/1.1 200 /);
    },
  );
});

test.each([
  ["chunked", head("chunked")],
  ["of a known length", head(4 * 1024 * 1024)],
])("a body that is too long, %s, has its 413 before the connection ends", async (kind, begin) => {
  using client = await talk();
  client.write(begin);
  const piece = "x".repeat(64 * 1024);
  for (let sent = 0; sent < 4 * 1024 * 1024; sent += piece.length) {
    client.write(kind === "chunked" ? `10000\r\n${piece}\r\n` : piece);
  }
  if (kind === "chunked") client.write("0\r\n\r\n");
  const answer = await client.heard('"request.too_large"');
  expect(problemIn(answer.slice(answer.indexOf("HTTP/1.1")))).toMatchObject({ status: 413 });
  // The connection is as good as before.
  client.write("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  expect(await client.closed).toContain("HTTP/1.1 200 OK");
});

test("a refusal is never sent as the answer to the request before it", async () => {
  using client = await talk();
  client.write("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\ngarbage\r\n\r\n");
  expect(await client.closed).toBe("");
});

test("a connection that sends hundreds of requests before it reads an answer is closed", async () => {
  taken = [];
  using client = await talk();
  client.write("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1_000));
  expect(await client.closed).toBe("");
  using other = await talk();
  other.write("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  expect(await other.closed).toContain("HTTP/1.1 200 OK");
});

test("connections beyond the limit are closed at once, and taken when there is room again", async () => {
  while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
  const clients = await Promise.all(Array.from({ length: 20 }, talk));
  const further = connect(port, "127.0.0.1").on("error", () => {});
  await once(further, "close");
  for (const client of clients) client.socket.destroy();
  const ask = async (): Promise<string> => {
    using client = await talk();
    client.write("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    return await client.closed;
  };
  let answer = await ask().catch(() => "");
  while (answer === "") answer = await ask().catch(() => "");
  expect(answer).toContain("HTTP/1.1 200 OK");
});
