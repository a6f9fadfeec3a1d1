import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { holdfastCommand } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";

interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/** Runs the command with these variables and no others of its own. */
const holdfast = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> => {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const all = { PATH: process.env["PATH"], HOME: tmpdir(), ...env };
  execFile(process.execPath, [...holdfastCommand, ...args], { env: all }, (error, out, err) =>
    resolve({ code: error?.code ?? 0, out, err }),
  );
  return promise;
};

const answer = (_request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ items: [], next: null }));
};
const service = createServer(answer);
/** Hosts that were asked for through the proxy. */
const asked: (string | undefined)[] = [];
const proxy = createServer((request, response) => {
  asked.push(new URL(request.url ?? "").host);
  answer(request, response);
});
proxy.on("connect", ({ url }: IncomingMessage, socket: Socket) => {
  asked.push(url);
  const { port } = service.address() as AddressInfo;
  const through = connect(port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    through.pipe(socket).pipe(through);
  });
  for (const one of [through, socket]) one.on("error", () => {});
});

const urlOf = (server: typeof proxy): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  for (const one of [service, proxy]) await once(one.listen(0, "127.0.0.1"), "listening");
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => {
  for (const one of [service, proxy]) {
    one.closeAllConnections();
    one.close();
  }
});

const list = ["workflows", "list", "--json"] as const;
const elsewhere = { HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: "token" };

test.each(["HTTP_PROXY", "http_proxy"])(
  "the command asks through the proxy that %s names",
  async (name) => {
    const { code, out, err } = await holdfast(list, { ...elsewhere, [name]: urlOf(proxy) });
    expect({ code, out, err }).toMatchObject({ code: 0, out: "[]\n" });
    expect(asked).toEqual([expect.stringMatching(/^holdfast\.test(:80)?$/)]);
  },
);

test("the command asks this machine without a proxy, and so hosts of NO_PROXY", async () => {
  const env = { HTTP_PROXY: urlOf(proxy), HOLDFAST_TOKEN: "token" };
  expect(await holdfast(list, { ...env, HOLDFAST_URL: urlOf(service) })).toMatchObject({ code: 0 });
  const spared = { ...env, ...elsewhere, NO_PROXY: "other.test,holdfast.test" };
  expect(await holdfast(list, spared)).toMatchObject({ code: 69 });
  expect(asked).toEqual([]);
});

test("the command names a proxy that is none, and does not repeat it", async () => {
  const { code, err } = await holdfast(list, { ...elsewhere, HTTPS_PROXY: "me:secret@proxy:3128" });
  expect(code).toBe(78);
  expect(err).toMatch(
    /HTTPS_PROXY must be the URL of a proxy, such as http:\/\/proxy\.example:3128/,
  );
  expect(err).not.toContain("secret");
});
