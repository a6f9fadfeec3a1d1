import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface RemoteCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Recorder extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly RemoteCall[];
}

/** Stands before the partners, and notes what reaches them. */
export async function openRecorder(target: string): Promise<Recorder> {
  const calls: RemoteCall[] = [];
  const server = createServer((incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    calls.push({ method, path, headers });
    const forwarded = httpRequest(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    incoming.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
