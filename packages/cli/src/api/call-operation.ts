import type { HoldfastClient } from "@holdfast/client";
import { type OperationId, operationOf, type RequestOf } from "./operation.ts";

/**
 * Sends a request of the document: each field to the place where it belongs. Resolves to the body
 * of the answer.
 */
export async function callOperation<Id extends OperationId>(
  client: Pick<HoldfastClient, "request">,
  id: Id,
  request: RequestOf<Id>,
): Promise<unknown> {
  const { method, path, fields } = operationOf(id);
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  const part = (place: string) => given.filter(([name]) => fields[name]?.in === place);
  const texts = (place: string) =>
    Object.fromEntries(part(place).map(([name, value]) => [name, String(value)]));
  const body = part("body");
  const answer = await client.request({
    method,
    path: filled(path, texts("path")),
    query: texts("query"),
    headers: texts("header"),
    ...(body.length === 0 ? {} : { body: Object.fromEntries(body) }),
  });
  return answer.body;
}

const filled = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
