import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { encodingFor } from "./console-routes.ts";
import { openConsole } from "./open-console.ts";

let respond: RequestListener = (_, response) => void response.end();
const upstream = createServer((request, response) => respond(request, response));
let url = "";
let closed: Promise<unknown> | null = null;

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const apiUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const limits = { connections: 2_000, requestTimeout: 1_000, addressShare: 25 };
  const app = openConsole({ apiUrl, limits, log: pino({ level: "silent" }) });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  stop = () => app.close();
});
let stop = async (): Promise<void> => {};
afterAll(async () => {
  await stop();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await closed;
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers, redirect: "manual" });

test("each path of the page answers with the page and its policy", async () => {
  for (const path of [
    "/console/",
    "/console/tasks/01a1?step=x",
    "/console/..%2f..%2fetc%2fpasswd",
  ]) {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(answer.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect(await answer.text()).toContain('<div id="root">');
  }
});

test("the page has no inline script, no inline style and no address of another host", async () => {
  const page = await (await get("/console/")).text();
  expect(page).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son[a-z]+=|https?:/);
  const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(assets.length).toBeGreaterThan(1);
  for (const path of assets) expect((await get(path)).status).toBe(200);
});

test("an asset is kept for ever, and one that is gone is none", async () => {
  const page = await (await get("/console/")).text();
  const [, script = ""] = /src="([^"]+\.js)"/.exec(page) ?? [];
  const answer = await get(script, { "accept-encoding": "br" });
  expect(answer.headers.get("cache-control")).toContain("immutable");
  expect(answer.headers.get("content-encoding")).toBe("br");
  expect((await get("/console/assets/gone.js")).status).toBe(404);
});

test("the root and the path without a slash lead to the page", async () => {
  expect((await get("/")).headers.get("location")).toBe("/console/");
  expect((await get("/console")).headers.get("location")).toBe("/console/");
});

test("requests to the API are passed on as they are", async () => {
  respond = (request, response) => {
    const { method, url: asked, headers } = request;
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      response.statusCode = 202;
      response.setHeader("etag", '"3"');
      response.end(JSON.stringify({ method, asked, token: headers.authorization, body }));
    });
  };
  const answer = await fetch(`${url}/v1/tasks/a%2Fb/cancel?x=1`, {
    method: "POST",
    headers: { authorization: "Bearer t", "content-type": "application/json" },
    body: '{"version":1}',
  });
  expect(answer.status).toBe(202);
  expect(answer.headers.get("etag")).toBe('"3"');
  expect(await answer.json()).toEqual({
    method: "POST",
    asked: "/v1/tasks/a%2Fb/cancel?x=1",
    token: "Bearer t",
    body: '{"version":1}',
  });
});

test("an answer that the API compressed is passed on as it is", async () => {
  const body = gzipSync(JSON.stringify({ words: "many ".repeat(1_000) }));
  respond = ({ headers }, response) =>
    void response
      .writeHead(200, {
        "content-type": "application/json",
        "content-encoding": headers["accept-encoding"] ?? "none",
        vary: "accept-encoding",
      })
      .end(body);
  const answer = await get("/v1/pauses", { "accept-encoding": "gzip" });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(answer.headers.get("vary")).toBe("accept-encoding");
  expect(await answer.json()).toEqual({ words: "many ".repeat(1_000) });
});

test("the console passes the id of its answer on to the API", async () => {
  respond = ({ headers }, response) => void response.end(JSON.stringify(headers));
  for (const sent of ["mine-1", "a hostile one"]) {
    const answer = await get("/v1/pauses", { "x-request-id": sent });
    const id = answer.headers.get("x-request-id");
    expect(id).toMatch(/^(mine-1|[0-9a-f-]{36})$/);
    expect(await answer.json()).toMatchObject({ "x-request-id": id });
  }
});

test("what the API says of a token that it does not know is passed on", async () => {
  const challenge = 'Bearer realm="holdfast", error="invalid_token"';
  respond = (_, response) => void response.writeHead(401, { "www-authenticate": challenge }).end();
  const answer = await get("/v1/pauses");
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, challenge]);
});

test("the API gets the address of the browser, and not the origin that was looked at here", async () => {
  respond = ({ headers }, response) => void response.end(JSON.stringify(headers));
  const seen = await (
    await get("/v1/pauses", { origin: url, "x-forwarded-for": "6.6.6.6" })
  ).json();
  expect(seen).toMatchObject({ "x-forwarded-for": "127.0.0.1" });
  expect(seen).not.toHaveProperty("origin");
});

test("a thousand half bodies of a stranger take the API from no operator, and stay for no longer than a body may", async () => {
  respond = (_, response) => void response.end("{}");
  const { port } = new URL(url);
  const half =
    "POST /v1/bulk HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{";
  const strangers = Array.from({ length: 1_000 }, () => {
    const socket = connect({ host: "127.0.0.1", localAddress: "127.0.0.2", port: Number(port) });
    return socket.on("error", () => {}).on("connect", () => socket.write(half));
  });
  const gone = strangers.map(
    (socket) => new Promise((resolve) => socket.resume().once("close", resolve)),
  );
  for (let asked = 0; asked < 20; asked += 1) expect((await get("/v1/pauses")).status).toBe(200);
  await Promise.all(gone);
});

test("bodies that the API does not answer take the share of their address, and no more", async () => {
  const answer = Promise.withResolvers<void>();
  const passed = new Set<unknown>();
  respond = (request, response) => {
    passed.add(request);
    void answer.promise.then(() => request.resume().once("end", () => response.end("{}")));
  };
  const body = "x".repeat(200_000);
  const send = async () => {
    const sent = await fetch(`${url}/v1/bulk`, { method: "POST", body });
    return [sent.status, ((await sent.json()) as { code?: string }).code];
  };
  // A quarter of 64 MiB.
  const share = Math.floor((16 * 1024 * 1024) / body.length);
  const taken: ReturnType<typeof send>[] = [];
  // One by one: bodies that arrive have a share of their own.
  for (; taken.length < share; taken.push(send())) {
    while (passed.size < taken.length) await new Promise((resolve) => setImmediate(resolve));
  }
  while (passed.size < share) await new Promise((resolve) => setImmediate(resolve));
  expect(await send()).toEqual([503, "request.overload"]);
  answer.resolve();
  expect(new Set((await Promise.all(taken)).map(([status]) => status))).toEqual(new Set([200]));
  expect(await send()).toEqual([200, undefined]);
});

test("an event of a stream comes at once, and a browser that leaves ends the stream", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  closed = promise;
  respond = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    response.once("close", resolve);
  };
  const browser = new AbortController();
  const answer = await fetch(`${url}/v1/events`, { signal: browser.signal });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe("data: 1\n\n");
  browser.abort();
  await closed;
});

test("an API that does not answer is a problem with a code", async () => {
  respond = (request) => void request.socket.destroy();
  const answer = await get("/v1/pauses");
  expect(answer.status).toBe(502);
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
  expect(await answer.json()).toMatchObject({
    status: 502,
    code: "console.api_unreachable",
    requestId: answer.headers.get("x-request-id"),
  });
});

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip;q=1.0, *;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["", "identity"],
] as const)("of %p the encoding is %s", (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});
