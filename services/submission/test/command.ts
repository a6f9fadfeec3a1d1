import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { holdfastCommand } from "@holdfast/test-servers";
import { type ServeOptions, serve } from "./serve.ts";
import { input, openTrips, type TripService, token } from "./trips.ts";

/** What a command printed, and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** A service with its trips, and the command as a shell runs it, for tests. */
export interface Commanded extends AsyncDisposable {
  readonly trips: TripService;
  readonly url: string;
  /** The folder for files of the test. */
  readonly folder: string;
  holdfast(line: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Submits a trip with the command; resolves to its id. */
  submitted(...more: readonly string[]): Promise<string>;
}

export const json = <T>({ out }: Ran): T => JSON.parse(out) as T;

export async function openCommanded(
  options: Pick<ServeOptions, "publish"> = {},
): Promise<Commanded> {
  await using opened = new AsyncDisposableStack();
  const trips = opened.use(await openTrips());
  const app = opened.use(serve(trips.store, { token, ...options }));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const folder = mkdtempSync(join(tmpdir(), "holdfast-command-"));
  opened.defer(() => rmSync(folder, { recursive: true }));

  const holdfast: Commanded["holdfast"] = async (line, { env, stdin = "" } = {}) => {
    const child = spawn(process.execPath, [...holdfastCommand, ...line], {
      env: {
        PATH: process.env["PATH"] ?? "",
        // Where `npm test` has Node keep what it compiled.
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
        USER: "ann",
        HOLDFAST_CONFIG: join(folder, "config.json"),
        ...(env ?? { HOLDFAST_URL: url, HOLDFAST_TOKEN: token }),
      },
    });
    child.stdin.end(stdin);
    const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await exited, out, err };
  };
  const parts = opened.move();
  return {
    trips,
    url,
    folder,
    holdfast,
    async submitted(...more) {
      const line = ["tasks", "submit", "trip", "-i", JSON.stringify(input), "-o", "id", ...more];
      const { code, out, err } = await holdfast(line);
      if (code !== 0) throw new Error(err);
      return out.trim();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
