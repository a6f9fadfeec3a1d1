import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Tarball } from "./pack-all.ts";
import { runProgram } from "./run-program.ts";

/** A package registry on this machine. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves the tarballs as a registry would, so that the commands of the guides work word for word
 * before anything is published. For every other package it sends the client to the registry that
 * npm is set up for.
 */
export async function serveTarballs(tarballs: readonly Tarball[]): Promise<Registry> {
  const { stdout: upstream } = await runProgram("npm", ["config", "get", "registry"]);
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const known = new Map(tarballs.map((tarball) => [tarball.manifest.name, tarball]));

  function answer({ url: path = "/" }: IncomingMessage, response: ServerResponse): void {
    const name = decodeURIComponent(path.slice(1));
    const tarball = known.get(name.replace(/\/-\/tarball$/, ""));
    if (tarball === undefined) {
      response.writeHead(302, { location: new URL(path.slice(1), upstream.trim()).href }).end();
    } else if (name.endsWith("/-/tarball")) {
      response.end(readFileSync(tarball.file));
    } else {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(documentOf(tarball, url)));
    }
  }

  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What a registry says of a package with one version. */
function documentOf({ file, packed }: Tarball, url: string): object {
  const { name, version } = packed;
  const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  const dist = { tarball: `${url}${name}/-/tarball`, integrity };
  return {
    name,
    "dist-tags": { latest: version },
    // Long ago: clients may refuse what was published only now.
    time: { created: "2026-01-01T00:00:00Z", [version]: "2026-01-01T00:00:00Z" },
    versions: { [version]: { ...packed, _id: `${name}@${version}`, dist } },
  };
}
