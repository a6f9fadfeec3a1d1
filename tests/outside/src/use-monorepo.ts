import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBuilds, outsideEnvironment } from "./install-packages.ts";
import { root } from "./public-packages.ts";
import { runProgram } from "./run-program.ts";

interface Manager {
  /** The command that runs it, in a version that is fixed. */
  readonly command: readonly [string, ...string[]];
  /** Its files beside package.json. */
  readonly settings: (registryUrl: string) => Readonly<Record<string, string>>;
  /** What it says before the name of a command of a package. */
  readonly exec: readonly string[];
}

/** Package managers, each with its own way to link the packages of a monorepo. */
export const managers: Readonly<Record<string, Manager>> = {
  npm: { command: ["npm"], settings: () => ({}), exec: ["exec", "--"] },
  pnpm: {
    command: ["npx", "--yes", "pnpm@12.21.0"],
    settings: () => ({ "pnpm-workspace.yaml": `packages: ["apps/*", "shared/*"]\n${noBuilds()}` }),
    exec: ["exec"],
  },
  "yarn with Plug'n'Play": {
    command: ["npx", "--yes", "@yarnpkg/cli-dist@4.18.1"],
    settings: (registryUrl) => ({
      ".yarnrc.yml": [
        `npmRegistryServer: "${registryUrl.replace(/\/$/, "")}"`,
        'unsafeHttpWhitelist: ["127.0.0.1"]',
        "enableTelemetry: false",
        "enableGlobalCache: false",
        "enableImmutableInstalls: false",
        "nodeLinker: pnp",
        "npmMinimalAgeGate: 0",
        "",
      ].join("\n"),
    }),
    exec: ["exec"],
  },
  Bun: {
    command: ["npx", "--yes", "bun@1.4.5"],
    settings: (registryUrl) => ({ "bunfig.toml": `[install]\nregistry = "${registryUrl}"\n` }),
    exec: ["run"],
  },
};

const json = (value: object) => JSON.stringify(value, null, 2);

/** A workflow that names its contracts in each way that code bases have. */
const workflow = `
import { defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";
import { mail } from "../agents/mail.js";
import { steps } from "@shop/words";
import { within } from "@/lib/within";
import { named } from "#lib/named.ts";

const Welcome = z.object({ to: z.email() });

export const welcome = defineWorkflow(named, Welcome, ({ to }, step) => {
  const list = step(steps.first, { call: mail.subscribe({ to }), completeWithin: within });
  const sent = step(steps.second, { call: mail.greet({ to, list }), completeWithin: within });
  return { sent };
});
`;

const files: Readonly<Record<string, string>> = {
  "package.json": json({
    name: "monorepo",
    private: true,
    workspaces: ["apps/*", "shared/*"],
  }),
  "shared/words/package.json": json({
    name: "@shop/words",
    version: "1.0.0",
    private: true,
    type: "module",
    exports: "./src/index.ts",
  }),
  "shared/words/src/index.ts": 'export { steps } from "./steps.js";\n',
  "shared/words/src/steps.ts":
    'export const steps = { first: "subscribe", second: "greet" } as const;\n',
  "apps/shop/lib/within.ts": 'export const within = "10s";\n',
  "apps/shop/lib/named.ts": 'export const named = "welcome.v1";\n',
  "apps/shop/workflows/welcome.ts": workflow,
};

interface Options {
  /** A folder that is not there yet. */
  readonly folder: string;
  readonly registryUrl: string;
  readonly manager: Manager;
}

/**
 * Makes a monorepo with a project and a package of its own, and resolves to what `holdfast test`
 * says there.
 */
export async function testInMonorepo({ folder, registryUrl, manager }: Options): Promise<string> {
  const shop = join(folder, "apps/shop");
  mkdirSync(shop, { recursive: true });
  cpSync(join(root, "packages/create-holdfast/template"), shop, { recursive: true });
  for (const [name, text] of Object.entries({ ...files, ...manager.settings(registryUrl) })) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const tsconfig = JSON.parse(readFileSync(join(shop, "tsconfig.json"), "utf8")) as {
    readonly compilerOptions: object;
  };
  const paths = { "@/*": ["./*"] };
  writeFileSync(
    join(shop, "tsconfig.json"),
    json({ ...tsconfig, compilerOptions: { ...tsconfig.compilerOptions, paths } }),
  );
  const own = { "@holdfast/agent": "^0.1.0", "@holdfast/workflow": "^0.1.0", holdfast: "^0.1.0" };
  const words = manager.command.some((one) => /npm$|bun/.test(one)) ? "*" : "workspace:*";
  writeFileSync(
    join(shop, "package.json"),
    json({
      name: "shop",
      version: "1.0.0",
      private: true,
      type: "module",
      imports: { "#lib/*": "./lib/*" },
      dependencies: { ...own, "@shop/words": words, zod: "^4" },
    }),
  );
  const [program, ...args] = manager.command;
  const env = { ...outsideEnvironment(registryUrl), npm_config_cache: join(folder, ".cache") };
  await runProgram(program, [...args, "install"], { folder, env });
  const test = [...args, ...manager.exec, "holdfast", "test"];
  return (await runProgram(program, test, { folder: shop, env, mayFail: true })).output;
}
