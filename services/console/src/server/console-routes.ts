import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { type Encoding, openPageFiles, type PageFile } from "./page-files.ts";

/** The page loads its own files and asks its own host, and nothing else. */
const policy = [
  "default-src 'self'",
  "img-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  vary: "accept-encoding",
};

/** The document of the API leaves them out. */
const hidden = { schema: { hide: true } as FastifySchema };

/** Serves the console under `/console/`. Its page asks the API at `/v1` of the same origin. */
export function consoleRoutes(app: FastifyInstance): void {
  const files = openPageFiles();
  app.get("/console", hidden, async (_, reply) => reply.redirect("/console/", 308));
  app.get<{ Params: { readonly "*": string } }>("/console/*", hidden, (request, reply) => {
    const path = request.params["*"];
    const file = files.find(path);
    if (file !== null) return send(file, request, reply);
    // A path of the page, such as that of a task: the page reads it. A file that is gone is none.
    if (!path.startsWith("assets/")) return send(files.index, request, reply);
    return reply.callNotFound();
  });
}

async function send(file: PageFile, request: FastifyRequest, reply: FastifyReply) {
  const encoding = encodingFor(request.headers["accept-encoding"]);
  if (encoding !== "identity") void reply.header("content-encoding", encoding);
  return reply
    .headers(headers)
    .header("cache-control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache")
    .type(file.type)
    .send(await file.bodyIn(encoding));
}

/** Browsers name what they understand; quality values are ignored but for a refusal. */
export function encodingFor(accepted = ""): Encoding {
  const names = accepted
    .toLowerCase()
    .split(",")
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim());
  if (names.includes("br")) return "br";
  return names.includes("gzip") ? "gzip" : "identity";
}
