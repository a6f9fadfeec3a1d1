import { type Provider, providers } from "../server.ts";
import type { StackOptions } from "../stack-options.ts";

/** What HOLDFAST_PROVIDER may say. */
export type Force = "url" | "docker" | "local";

/**
 * What keeps each provider from being used, asked only when it is its turn: null when it can be
 * had; else, in a few words, why not.
 */
export type Obstacles = Readonly<Partial<Record<Provider, () => Promise<string | null>>>>;

export interface Choice {
  readonly provider: Provider;
  readonly why: string;
}

const reasons: Readonly<Record<Provider, string>> = {
  url: "its URL is set",
  docker: "Docker has its image",
  embedded: "its binaries came with the packages",
  installed: "it is installed here",
  package: "the distribution has it",
};

/**
 * The order in which providers are asked. A test run prefers what production runs; a demo prefers
 * what is there at once, and leaves the machine as it found it as long as it can.
 */
export function providerOrder(
  purpose: StackOptions["purpose"],
  force: Force | null,
): readonly Provider[] {
  if (force === "url" || force === "docker") return [force];
  const local: readonly Provider[] = ["embedded", "installed", "package"];
  if (force === "local") return local;
  if (purpose === "test") return ["url", "docker", ...local];
  return providers;
}

/** The first provider with no obstacle, and why not those before it. Throws when there is none. */
export async function chooseProvider(
  part: string,
  order: readonly Provider[],
  obstacles: Obstacles,
): Promise<Choice> {
  const passed: string[] = [];
  for (const provider of order) {
    const ask = obstacles[provider];
    if (ask === undefined) continue;
    const obstacle = await ask();
    if (obstacle === null) {
      return { provider, why: [reasons[provider], ...passed].join("; ") };
    }
    passed.push(obstacle);
  }
  throw new Error(`There is no ${part} to be had: ${passed.join("; ")}.`);
}
