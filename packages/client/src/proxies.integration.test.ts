import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";

const client = new URL("./index.ts", import.meta.url).href;

/** A service that knows one task, which ends a moment after it is followed. */
const serve = ({ url = "", method }: IncomingMessage, response: ServerResponse): void => {
  if (url.endsWith("/events")) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": welcome\n\n");
    setTimeout(() => response.write(events), 50);
    return;
  }
  response.statusCode = method === "POST" ? 202 : 200;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ...task, items: [], next: null }));
};
const task = { id: "t1", state: "processed", result: { ok: true }, faultCode: null };
const moved = { id: "1", step: null, action: "finish", fromState: null, toState: "processed" };
const events = [
  `id: 1\nevent: moved\ndata: ${JSON.stringify(moved)}\n\n`,
  `event: end\ndata: ${JSON.stringify(task)}\n\n`,
].join("");
const service = createServer((request, response) => {
  request.resume().on("end", () => serve(request, response));
});

/** What the proxy was asked for, and with which login. */
const asked: { readonly host: string | undefined; readonly login: string | undefined }[] = [];
/** The statuses that it answers next, instead of leading to the service. */
let refusals: number[] = [];
const proxy = createServer().on("connect", (request: IncomingMessage, socket: Socket) => {
  const login = request.headers["proxy-authorization"];
  asked.push({ host: request.url, login: login?.replace(/^Basic /, "") });
  socket.on("error", () => {});
  const [status] = refusals.splice(0, 1);
  if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  const { port } = service.address() as AddressInfo;
  const through = connect(port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    through.pipe(socket).pipe(through);
  });
  through.on("error", () => {});
});
const urlOf = (server: typeof proxy, login = ""): string =>
  `http://${login}127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  for (const one of [service, proxy]) await once(one.listen(0, "127.0.0.1"), "listening");
});
beforeEach(() => {
  asked.length = 0;
  refusals = [];
});
afterAll(() => {
  for (const one of [service, proxy]) {
    one.closeAllConnections();
    one.close();
  }
});

interface Ran {
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
}

/**
 * Runs a program with a client in a process of its own, which reads these variables at its start.
 */
async function run(
  body: string,
  { url = "http://holdfast.test", ...env }: Readonly<Record<string, string>>,
): Promise<Ran> {
  const program = `
    import { holdfastClient } from ${JSON.stringify(client)};
    const client = holdfastClient({ url: ${JSON.stringify(url)}, retryFor: 20_000 });
    const answer = await (async () => { ${body} })().then(
      (value) => ({ value }),
      ({ name, message }) => ({ error: { name, message } }),
    );
    process.stdout.write(JSON.stringify(answer), () => process.exit());`;
  const flags = ["--conditions=@holdfast/source", "--no-warnings", "--input-type=module"];
  const child = spawn(process.execPath, [...flags, "--eval", program], {
    cwd: new URL(".", import.meta.url),
    env: { PATH: process.env["PATH"], NODE_USE_ENV_PROXY: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const piece of child.stdout.setEncoding("utf8")) text += piece;
  return JSON.parse(text) as Ran;
}

const list = "return (await client.tasks.list()).items;";
const throughProxy = { host: "holdfast.test:80", login: undefined };

test("a client submits, reads and follows through the proxy that the environment of Node names", async () => {
  const all = `
    const { id } = await client.submit("welcome", { guest: "Ada" });
    const moves = [];
    for await (const { toState } of client.follow(id)) moves.push(toState);
    return { id, moves, items: (await client.tasks.list()).items };`;
  expect(await run(all, { HTTP_PROXY: urlOf(proxy) })).toEqual({
    value: { id: "t1", moves: ["processed"], items: [] },
  });
  expect(asked.length).toBeGreaterThan(0);
  for (const one of asked) expect(one).toEqual(throughProxy);
});

test("a client shows a proxy the login of its URL", async () => {
  const env = { HTTP_PROXY: urlOf(proxy, "me:se%40cret@") };
  expect(await run(list, env)).toEqual({ value: [] });
  expect(asked).toEqual([{ ...throughProxy, login: btoa("me:se@cret") }]);
});

test("a client asks a host of NO_PROXY without the proxy", async () => {
  const env = { HTTP_PROXY: urlOf(proxy), NO_PROXY: "other.test,127.0.0.1", url: urlOf(service) };
  expect(await run(list, env)).toEqual({ value: [] });
  expect(asked).toEqual([]);
});

test.each([407, 403])("a proxy that answers %i is named at once", async (status) => {
  refusals = [status];
  const { error } = await run(list, { HTTP_PROXY: urlOf(proxy, "me:secret@") });
  expect(error).toEqual({
    name: "ConnectionError",
    message: expect.stringMatching(
      new RegExp(
        `^http://holdfast\\.test is not reachable: the proxy answered ${status}, and does not lead to it \\(GET /v1/tasks, tried once`,
      ),
    ),
  });
  expect(error?.message).not.toContain("secret");
  expect(asked).toHaveLength(1);
});

test("a proxy that answers 502 for a moment is asked again", async () => {
  refusals = [502, 503];
  expect(await run(list, { HTTP_PROXY: urlOf(proxy) })).toEqual({ value: [] });
  expect(asked).toHaveLength(3);
});

test("a proxy that is not there is named with its address", async () => {
  const few = `const { holdfastClient } = await import(${JSON.stringify(client)});
    return await holdfastClient({ url: "http://holdfast.test", retryFor: 300 }).tasks.list();`;
  const { error } = await run(few, { HTTP_PROXY: "http://127.0.0.1:1" });
  expect(error?.message).toMatch(/^http:\/\/holdfast\.test is not reachable: .*127\.0\.0\.1:1 /);
});
