import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, startProcess, waitUntilReady } from "@holdfast/local-stack";
import { stringify } from "yaml";

/** A Prometheus that scrapes each second and evaluates the alert rules. */
export interface RunningPrometheus extends AsyncDisposable {
  /** Answers one query of its HTTP API, such as `rules`. Throws with its words when it refuses. */
  readonly ask: (path: string) => Promise<unknown>;
  /** How many series an expression returns now. */
  readonly countSeries: (expression: string) => Promise<number>;
}

interface Options {
  /** What to scrape: ports of this machine. */
  readonly ports: readonly number[];
  /** The port from which on a free one is looked for. */
  readonly from: number;
}

const rules = fileURLToPath(new URL("../../../infra/observability/rules/*.yml", import.meta.url));

/** Starts the program that is installed; see `whyNoPrometheus`. */
export async function startPrometheus({ ports, from }: Options): Promise<RunningPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-prometheus-"));
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: [rules],
    scrape_configs: [
      {
        job_name: "holdfast",
        static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }],
      },
    ],
  };
  writeFileSync(join(folder, "prometheus.yml"), stringify(config));
  const address = `127.0.0.1:${await freePort(from)}`;
  const server = startProcess(
    "prometheus",
    [
      "prometheus",
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${address}`,
    ],
    { folder },
  );
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://${address}/api/v1/${path}`);
    const body = (await answer.json()) as { readonly data?: unknown; readonly error?: string };
    if (!answer.ok) throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  await waitUntilReady(server, () => ask("status/buildinfo"), {
    name: "Prometheus",
    withinMs: 30_000,
  });
  return {
    ask,
    async countSeries(expression) {
      const data = await ask(`query?query=${encodeURIComponent(expression)}`);
      return (data as { readonly result: readonly unknown[] }).result.length;
    },
    async [Symbol.asyncDispose]() {
      await server.stop("SIGTERM", 10_000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
