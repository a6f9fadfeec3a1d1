import { sourceFiles } from "../repository.ts";
import { table } from "./json-schema.ts";
import { load } from "./load.ts";

interface Definition {
  readonly kind: string;
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[] | { readonly most: number }>>;
}

/** Who exposes what a folder defines. */
const exposedBy: Readonly<Record<string, string>> = {
  "packages/runtime": "Every service",
  "packages/state-store": "Services with access to the state store",
  "packages/messaging": "Services with a connection to RabbitMQ",
  "packages/agent": "Processes that run Agents",
  "services/submission": "submission",
  "services/scheduler": "scheduler",
  "services/supervisor": "supervisor",
};

/**
 * The definitions of all metrics, by the folder of a package or service: each `…Metrics` of a file
 * `…-metrics.ts`.
 */
async function findDefinitions(): Promise<ReadonlyMap<string, readonly Definition[]>> {
  const found = new Map<string, readonly Definition[]>();
  for (const file of sourceFiles.filter((one) => /[a-z]-metrics\.ts$/.test(one))) {
    const folder = file.split("/").slice(0, 2).join("/");
    const groups = Object.entries(await load(file)).filter(
      ([name, value]) => name.endsWith("Metrics") && typeof value === "object",
    );
    const definitions = groups.flatMap(([, group]) => Object.values(group as object));
    found.set(folder, [...(found.get(folder) ?? []), ...(definitions as Definition[])]);
  }
  return found;
}

/** The tables of docs/reference/metrics.md. */
export async function metricsPage(): Promise<string> {
  const found = await findDefinitions();
  const order = Object.keys(exposedBy);
  return [...found]
    .filter(([, definitions]) => definitions.length > 0)
    .toSorted(([a], [b]) => rankOf(order, a) - rankOf(order, b))
    .map(([folder, definitions]) => section(exposedBy[folder] ?? folder, definitions))
    .join("\n\n");
}

function rankOf(order: readonly string[], folder: string): number {
  const rank = order.indexOf(folder);
  return rank === -1 ? order.length : rank;
}

function section(title: string, definitions: readonly Definition[]): string {
  const rows = definitions
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, kind, labels = {}, help }) => [
      `\`${name}\``,
      kind,
      Object.entries(labels).map(labelText).join("; ") || "-",
      help,
    ]);
  return `## ${title}\n\n${table([["name", "kind", "labels", "what it says"], ...rows])}`;
}

const labelText = ([name, values]: [
  string,
  readonly string[] | { readonly most: number },
]): string =>
  "most" in values
    ? `\`${name}\` (at most ${values.most})`
    : `\`${name}\`: ${values.map((value) => `\`${value}\``).join(", ")}`;
