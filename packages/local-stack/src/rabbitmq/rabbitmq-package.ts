import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { installPackage, outputLimit } from "../processes/debian-package.ts";
import { findRabbitmq, type RabbitmqInstallation } from "./rabbitmq-installation.ts";

const run = promisify(execFile);

/**
 * Gets RabbitMQ from the distribution: root installs it, anybody else gets the same packages
 * unpacked into `folder`, and nothing on the machine changes.
 */
export async function getRabbitmqPackage(
  folder: string,
  log: (line: string) => void,
): Promise<RabbitmqInstallation> {
  const unpacked = unpackedIn(folder);
  if (unpacked) return unpacked;
  try {
    if (process.getuid?.() !== 0) {
      log(`unpacking the package rabbitmq-server into ${folder} (about 40 MB, once)`);
      return await unpack(folder);
    }
    log("installing the package rabbitmq-server (about 40 MB)");
    return await install();
  } catch (cause) {
    throw new Error(
      `The package rabbitmq-server could not be installed with apt-get (${lastLine(cause)}). Install it yourself, or start Docker, or name a RabbitMQ in BROKER_URL, for tests in TEST_BROKER_URL.`,
      { cause },
    );
  }
}

/** What apt-get says last is what went wrong. */
const lastLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .trim()
    .split("\n")
    .at(-1) ?? "";

async function install(): Promise<RabbitmqInstallation> {
  await installPackage("rabbitmq-server");
  const installed = findRabbitmq();
  if (installed) return installed;
  throw new Error("The package rabbitmq-server was installed, but its server was not found.");
}

/** Lists, downloads and opens what apt would install, with package lists of our own. */
async function unpack(folder: string): Promise<RabbitmqInstallation> {
  const work = `${folder}.unpacking`;
  await rm(work, { recursive: true, force: true });
  const [lists, cache, debs, root] = ["lists", "cache", "debs", "root"].map((n) =>
    join(work, n),
  ) as [string, string, string, string];
  for (const each of [join(lists, "partial"), join(cache, "archives/partial"), debs, root]) {
    await mkdir(each, { recursive: true });
  }
  const apt = async (...args: readonly string[]) => {
    const own = ["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${cache}`];
    const { stdout } = await run("apt-get", [...own, ...args], { ...outputLimit, cwd: debs });
    return stdout;
  };
  await apt("update", "-qq");
  const plan = await apt("install", "--simulate", "--no-install-recommends", "rabbitmq-server");
  const packages = [...plan.matchAll(/^Inst (\S+) .*?\((\S+) /gm)].map(([, n, v]) => `${n}=${v}`);
  await apt("download", "-qq", ...packages);
  for (const deb of globSync("*.deb", { cwd: debs })) {
    await run("dpkg-deb", ["--extract", join(debs, deb), root]);
  }
  await useRoot(root, join(folder, "root"));
  for (const each of [lists, cache, debs]) await rm(each, { recursive: true });
  await rename(work, folder);
  const unpacked = unpackedIn(folder);
  if (unpacked) return unpacked;
  throw new Error("The package rabbitmq-server was unpacked, but its server was not found.");
}

/** Erlang's start script holds the folder that it was built for. */
async function useRoot(root: string, finalRoot: string): Promise<void> {
  for (const script of globSync("usr/lib/erlang/{bin,erts-*/bin}/{erl,start}", { cwd: root })) {
    const file = join(root, script);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replaceAll("=/usr/lib/erlang", `="${finalRoot}/usr/lib/erlang"`));
  }
}

function unpackedIn(folder: string): RabbitmqInstallation | null {
  const root = join(folder, "root");
  const scripts = join(root, "usr/lib/rabbitmq/bin");
  if (!existsSync(scripts)) return null;
  const libraries = globSync("{usr/,}lib/*-linux-*", { cwd: root }).map((lib) => join(root, lib));
  const env = {
    PATH: `${join(root, "usr/lib/erlang/bin")}:${process.env["PATH"]}`,
    LD_LIBRARY_PATH: libraries.join(":"),
  };
  return { scripts, env };
}
