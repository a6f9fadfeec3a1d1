import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ContractFault } from "@holdfast/domain";

/** One file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  /** Its name holds a hash of its content. */
  readonly isImmutable: boolean;
  /** Its content in that encoding. Compressed once. */
  bodyIn(encoding: Encoding): Promise<Buffer>;
}

export type Encoding = "br" | "gzip" | "identity";

/** The files of the page. They are in memory, so no request reaches the file system. */
export interface PageFiles {
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
export function openPageFiles(folder: string = built): PageFiles {
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
