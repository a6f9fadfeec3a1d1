import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPartners, type Partners } from "../src/partners.ts";

export const silent = { warn() {}, error() {} };

/** A folder of its own, gone when the test is over. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "partners-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Partners that listen on a port of their own. */
export async function listen(dataFolder: string): Promise<Partners & { readonly url: string }> {
  const partners = await openPartners({ dataFolder, seed: 1, log: silent });
  return { ...partners, url: await partners.app.listen({ host: "127.0.0.1", port: 0 }) };
}

export interface Said {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Says what a client would: bodies as JSON, the key as a header. */
export async function send(
  url: string,
  { method = "POST", key, body }: { method?: string; key?: string; body?: unknown } = {},
): Promise<Said> {
  const headers: Record<string, string> = {};
  if (key !== undefined) headers["idempotency-key"] = key;
  if (body !== undefined) headers["content-type"] = "application/json";
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await fetch(url, { method, headers, body: text });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

export const charge = {
  customerId: "customer-1",
  paymentMethod: "card-valid",
  amount: 1_299,
  currency: "EUR",
};
