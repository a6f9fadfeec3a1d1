import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";

const client = new URL("../../../../packages/client/src/", import.meta.url);

/** Serves a page, and the client as modules that it loads: an application of its own. */
async function servePage() {
  const server = createServer((request, response) => {
    const [, name = ""] = /^\/client\/([a-z-]+\.ts)$/.exec(request.url ?? "") ?? [];
    if (name === "") {
      response.writeHead(200, { "content-type": "text/html" });
      return void response.end("<!doctype html><title>An application</title>");
    }
    response.writeHead(200, { "content-type": "text/javascript" });
    response.end(stripTypeScriptTypes(readFileSync(new URL(name, client), "utf8")));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** The page under a name of this machine: each is another origin. */
    at: (host: "localhost" | "127.0.0.1") => `http://${host}:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What the page uses of the client. */
interface ClientModule {
  holdfastClient(options: { readonly url: string; readonly retryFor: number }): {
    submit(
      workflow: string,
      input: object,
      how?: object,
    ): Promise<{ readonly id: string; readonly replayed: boolean }>;
    follow(task: object): AsyncIterable<{ readonly action: string }>;
    result(task: object, how: object): Promise<unknown>;
  };
}

/** What the page has seen. */
interface Seen {
  readonly moves: readonly string[];
  readonly result: unknown;
  readonly replayed: boolean;
  readonly code: string;
  readonly headers: Readonly<Record<string, string | null>>;
}

/**
 * Has a page submit a task, follow it to its end, submit it again and be refused. Runs in the
 * browser.
 */
const useClient = (page: Page, url: string): Promise<Seen> =>
  page.evaluate(async (service) => {
    const path = "/client/index.ts";
    const module = (await import(path)) as ClientModule;
    const holdfast = module.holdfastClient({ url: service, retryFor: 2_000 });
    const input = { text: "from another origin", fails: false };
    const how = { idempotencyKey: crypto.randomUUID() };
    const task = await holdfast.submit("echo-text.v1", input, how);
    const moves: string[] = [];
    for await (const { action } of holdfast.follow(task)) moves.push(action);
    const result = await holdfast.result(task, { wait: "30s" });
    const { replayed } = await holdfast.submit("echo-text.v1", input, how);
    const code = await holdfast.submit("echo-text.v1", { text: 1 }).then(
      () => "",
      (error: { readonly code: string }) => error.code,
    );
    const shown = await fetch(`${service}/v1/tasks/${task.id}`);
    const submitted = await fetch(`${service}/v1/tasks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ workflow: "echo-text.v1", input }),
    });
    const headers = {
      etag: shown.headers.get("etag"),
      "x-request-id": shown.headers.get("x-request-id"),
      location: submitted.headers.get("location"),
      "retry-after": submitted.headers.get("retry-after"),
    };
    return { moves, result, replayed, code, headers };
  }, url);

/**
 * A page of an origin that CORS_ORIGINS names uses the client as on its own; any other is kept out
 * by the browser.
 */
export async function useFromOtherOrigin({ at, browser }: Bench): Promise<void> {
  await using served = await servePage();
  const { submissionUrl } = at.system;
  const open = async (host: "localhost" | "127.0.0.1") => {
    const { page, context } = await browser.open({ token: null });
    await page.goto(served.at(host));
    return { page, [Symbol.asyncDispose]: () => context.close() };
  };
  await using named = await open("localhost");
  expect(await useClient(named.page, submissionUrl)).toEqual({
    moves: expect.arrayContaining(["submit", "claim", "complete"]),
    result: expect.objectContaining({
      state: "processed",
      result: { said: "from another origin" },
    }),
    replayed: true,
    code: "task.invalid",
    headers: {
      etag: expect.stringMatching(/^(?:W\/)?"\d+"$/),
      "x-request-id": expect.stringMatching(/./),
      location: expect.stringMatching(/^\/v1\/tasks\//),
      "retry-after": expect.stringMatching(/^\d+$/),
    },
  });
  // The same page under a name that is not named is another origin.
  await using other = await open("127.0.0.1");
  await expect(useClient(other.page, submissionUrl)).rejects.toThrow(/is not reachable/);
  // Operations names none.
  await expect(useClient(named.page, at.origin)).rejects.toThrow(/is not reachable/);
}
