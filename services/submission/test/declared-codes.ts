import { findFaultCode } from "@holdfast/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Codes } from "../src/api/codes.ts";

/**
 * Has the disposal of a service throw if a route refused with a code that the document does not
 * give to it.
 */
export function holdToCodes<App extends FastifyInstance>(app: App): App & AsyncDisposable {
  const undeclared = new Set<string>();
  app.addHook("onSend", async (request, reply, payload) => {
    const type = String(reply.getHeader("content-type"));
    if (!type.startsWith("application/problem+json") || request.is404) return payload;
    const { status, code } = JSON.parse(String(payload)) as { status: number; code: string };
    const own = findFaultCode(code)?.code ?? code;
    const { url } = request.routeOptions;
    const codes = codesOf(request);
    const declared: readonly string[] = codes?.[status] ?? [];
    if (codes !== undefined && !declared.includes(own))
      undeclared.add(`${request.method} ${url}: ${status} ${own}`);
    return payload;
  });
  return Object.assign(app, {
    async [Symbol.asyncDispose]() {
      await app.close();
      if (undeclared.size === 0) return;
      throw new Error(
        `Codes that no \`codes\` of their routes have: ${[...undeclared].join(", ")}`,
      );
    },
  });
}

const codesOf = ({ routeOptions }: FastifyRequest): Codes | undefined =>
  (routeOptions.schema as { readonly "x-codes"?: Codes } | undefined)?.["x-codes"];
