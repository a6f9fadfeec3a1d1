import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ContractFault } from "@holdfast/domain";
import { encodingWeight, varyBy } from "@holdfast/runtime/http";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";

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
  varyBy(reply.raw, "accept-encoding");
  return reply
    .headers(headers)
    .header("cache-control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache")
    .type(file.type)
    .send(await file.bodyIn(encoding));
}

/** The encoding in which a client gets a file of the page. */
export function encodingFor(accepted = ""): Encoding {
  const ofGzip = encodingWeight(accepted, "gzip");
  const ofBrotli = encodingWeight(accepted, "br");
  if (ofBrotli > 0 && ofBrotli >= ofGzip) return "br";
  return ofGzip > 0 ? "gzip" : "identity";
}

/** One file of the page, as it is sent. */
interface PageFile {
  readonly type: string;
  /** Its name holds a hash of its content. */
  readonly isImmutable: boolean;
  /** Its content in that encoding. Compressed once. */
  bodyIn(encoding: Encoding): Promise<Buffer>;
}

type Encoding = "br" | "gzip" | "identity";

/** The files of the page. They are in memory, so no request reaches the file system. */
interface PageFiles {
  /** Finds a file by its path below `/console/`; null: there is none. */
  find(path: string): PageFile | null;
  /** The page itself. */
  readonly index: PageFile;
}

/** The folder that `node build.mjs` writes: beside `src` and `dist` alike. */
const built = fileURLToPath(new URL("../../built/", import.meta.url));

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads the page. Throws `config.invalid` when it was not built. */
function openPageFiles(folder: string = built): PageFiles {
  if (!existsSync(join(folder, "index.html"))) {
    const command = "node services/console/build.mjs";
    throw new ContractFault("config.invalid", `${folder} has no index.html: run ${command}`);
  }
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => types[extname(path)] !== undefined)
      .map((path) => [path, readPageFile(folder, path)] as const),
  );
  return {
    find: (path) => files.get(path) ?? null,
    index: readPageFile(folder, "index.html"),
  };
}

function readPageFile(folder: string, path: string): PageFile {
  const body = readFileSync(join(folder, path));
  const bodies = new Map<Encoding, Promise<Buffer>>([["identity", Promise.resolve(body)]]);
  return {
    type: types[extname(path)] ?? "application/octet-stream",
    isImmutable: path.startsWith("assets/"),
    bodyIn(encoding) {
      const known = bodies.get(encoding);
      if (known !== undefined || encoding === "identity") return known ?? Promise.resolve(body);
      const made = compress[encoding](body);
      bodies.set(encoding, made);
      return made;
    },
  };
}

const gzipped = promisify(gzip);
const brotli = promisify(brotliCompress);
const compress = {
  br: (body: Buffer) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => gzipped(body, { level: 9 }),
};
