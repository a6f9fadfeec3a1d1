import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { operatorToken, startSystem } from "@holdfast/processes";
import { holdfastCommand, migratedDatabase, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { call, reads } from "./session.ts";

const owned = new AsyncDisposableStack();
let served: ChildProcess;
let url = "";
beforeAll(async () => {
  const database = owned.use(await migratedDatabase());
  const broker = owned.use(await testBroker());
  const both = { ROLE: "all", OPERATOR_TOKEN: operatorToken, STATE_STORE_URL: database.url };
  const count = { agent: 0, partners: 0, scheduler: 0, supervisor: 0 };
  const system = owned.use(
    await startSystem({ stateStoreUrl: database.url, broker, count, env: { submission: both } }),
  );
  served = spawn(process.execPath, [...holdfastCommand, "mcp", "--http", "--port", "0"], {
    env: { HOLDFAST_URL: system.submissionUrl, HOLDFAST_TOKEN: operatorToken },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for await (const line of served.stderr ?? []) {
    url = /http:\S+/.exec(String(line))?.[0] ?? "";
    if (url !== "") break;
  }
});
afterAll(async () => {
  const gone = once(served, "exit");
  served.kill("SIGTERM");
  expect(await gone).toEqual([0, null]);
  await owned.disposeAsync();
});

test("the same tools are served on this host", async () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(reads);
  const { json } = await call(client, "list_workflows", {});
  expect(json["items"]).toContainEqual(expect.objectContaining({ name: "fulfil-order.v1" }));
  await client.close();
});

test.each([
  ["of a web page", { origin: "https://evil.example" }, 421],
  ["under another name of this host", { host: "evil.example" }, 421],
])("a request %s is refused", async (_, headers, status) => {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const asked = request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
  });
  asked.on("response", (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  asked.end("{}");
  expect(await promise).toBe(status);
});
