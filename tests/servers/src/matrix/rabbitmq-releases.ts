import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Release } from "./release.ts";

const run = promisify(execFile);
const output = { maxBuffer: 64 * 1024 * 1024 };

/**
 * The suites of Debian that have a release of RabbitMQ. What a suite has now may be another one by
 * then.
 */
const suites: Readonly<Record<string, string>> = { "4.0": "trixie", "4.3": "sid" };

/**
 * What stands in every Debian, and so is named by no package: what scripts of RabbitMQ and Erlang
 * call.
 */
const essentials = [
  "base-files",
  "bash",
  "coreutils",
  "dash",
  "debianutils",
  "findutils",
  "grep",
  "hostname",
  "libc-bin",
  "mawk",
  "sed",
  "util-linux",
];

/**
 * Gets a release of RabbitMQ, such as `4.0`: the one of this machine, or that of a suite of Debian,
 * which is unpacked with all that it needs into a root of its own in `cache`. Nothing of this
 * machine's system changes. Its programs run in that root, with the folders of data of this one, in
 * a mount namespace: only root may.
 */
export async function rabbitmqRelease(release: string, cache: string): Promise<Release> {
  if (installedRelease() === release) return { name: release, variables: {} };
  const suite = suites[release];
  if (suite === undefined) {
    throw new Error(
      `RabbitMQ ${release} is neither installed nor in ${Object.values(suites).join(", ")}`,
    );
  }
  const folder = join(cache, `rabbitmq-${release}`);
  if (!existsSync(folder)) await unpackSuite(suite, folder);
  const found = releaseIn(join(folder, "root"));
  if (found !== release) throw new Error(`The suite ${suite} has RabbitMQ ${found} by now`);
  return { name: release, variables: { HOLDFAST_RABBITMQ: join(folder, "bin") } };
}

/** The release of RabbitMQ that is installed here, such as `3.10`; null: there is none. */
export const installedRelease = (): string | null => releaseIn("/");

/**
 * The folder of releases of servers. Outside of the repository: hundreds of megabytes, which every
 * clone can use.
 */
export const serversCache = (): string =>
  process.env["HOLDFAST_SERVERS"] ?? join(homedir(), ".cache/holdfast-servers");

/** The release of RabbitMQ below a root, such as `4.0`; null: there is none. */
function releaseIn(root: string): string | null {
  const [found = ""] = globSync("usr/lib/rabbitmq/lib/rabbitmq_server-*", { cwd: root });
  return /-(\d+\.\d+)\./.exec(found)?.[1] ?? null;
}

async function unpackSuite(suite: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("Only root runs the servers of another system.");
  const work = `${folder}.unpacking`;
  await rm(work, { recursive: true, force: true });
  const root = join(work, "root");
  await download(suite, { root, work });
  // The alternatives of Debian are set by scripts of packages, which do not run.
  await symlink("mawk", join(root, "usr/bin/awk"));
  for (const left of ["apt", "debs"]) await rm(join(work, left), { recursive: true });
  await writePrograms(work, folder);
  await rename(work, folder);
}

interface Folders {
  readonly root: string;
  readonly work: string;
}

/**
 * Downloads what a system of that suite needs to run RabbitMQ, with lists and a state of packages
 * of our own.
 */
async function download(suite: string, { root, work }: Folders): Promise<void> {
  const [apt, debs] = [join(work, "apt"), join(work, "debs")];
  const status = join(apt, "var/lib/dpkg/status");
  const folders = [
    "etc/apt/apt.conf.d",
    "etc/apt/preferences.d",
    "var/lib/apt/lists/partial",
    "var/lib/dpkg",
    "var/cache/apt/archives/partial",
  ];
  for (const one of [...folders.map((name) => join(apt, name)), debs, root]) {
    await mkdir(one, { recursive: true });
  }
  await writeFile(status, "");
  await writeFile(join(apt, "etc/apt/sources.list"), `deb ${mirror()} ${suite} main\n`);
  const own = ["-o", `Dir=${apt}`, "-o", `Dir::State::status=${status}`];
  const call = async (...args: readonly string[]) =>
    (
      await run("apt-get", [...own, "-o", "APT::Sandbox::User=root", ...args], {
        ...output,
        cwd: debs,
      })
    ).stdout;
  await call("update", "-qq");
  const wanted = [...essentials, "rabbitmq-server"];
  const plan = await call("install", "--simulate", "--no-install-recommends", ...wanted);
  const names = [...plan.matchAll(/^Inst (\S+) .*?\((\S+) /gm)].map(([, n, v]) => `${n}=${v}`);
  await call("download", "-qq", ...names);
  // First the one that has /bin and its like as links into /usr.
  const all = globSync("*.deb", { cwd: debs });
  const first = all.filter((name) => name.startsWith("base-files_"));
  for (const deb of [...first, ...all.filter((name) => !first.includes(name))]) {
    await run("dpkg-deb", ["--extract", join(debs, deb), root]);
  }
}

/** The mirror from which this machine has its packages, with the key that it trusts. */
function mirror(): string {
  const lists = ["/etc/apt/sources.list", ...globSync("/etc/apt/sources.list.d/*.{list,sources}")];
  const texts = lists.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
  const found = texts
    .map((text) => /^(?:URIs:|deb(?: \[[^\]]*\])?) *(\S+\/debian)\/?(?:\s|$)/m.exec(text)?.[1])
    .find((url) => url !== undefined);
  if (found === undefined) throw new Error("No mirror of Debian is configured for apt here.");
  return `[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${found}`;
}

const scripts = ["rabbitmq-server", "rabbitmqctl", "rabbitmq-queues", "rabbitmq-plugins"];
const erlang = ["erl", "epmd", "escript"];

/**
 * Programs that run their namesakes in the root. The folder beside them stands where RabbitMQ has
 * its plugins.
 */
async function writePrograms(work: string, folder: string): Promise<void> {
  const bin = join(work, "bin");
  await mkdir(bin);
  await writeProgram(join(work, "enter"), enter);
  const [root, inside] = [join(folder, "root"), join(folder, "enter")];
  const start = `#!/bin/sh\nexec unshare --mount --propagation private '${inside}' '${root}'`;
  for (const name of scripts) {
    await writeProgram(join(bin, name), `${start} /usr/lib/rabbitmq/bin/${name} "$@"\n`);
  }
  for (const name of erlang)
    await writeProgram(join(bin, name), `${start} /usr/bin/${name} "$@"\n`);
  const [plugins = ""] = globSync("usr/lib/rabbitmq/lib/*/plugins", { cwd: join(work, "root") });
  await symlink(join(root, plugins), join(work, "plugins"));
}

async function writeProgram(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await chmod(file, 0o755);
}

/**
 * Everything but the system's own folders is this machine's: data, sockets, processes, names of
 * hosts.
 */
const enter = `#!/bin/sh
root=$1
shift
for place in /*; do
  case $place in
    /bin|/sbin|/lib*|/usr|/var|/boot|/opt|/srv|/media|/lost+found) ;;
    *)
      if [ -d "$place" ] && [ ! -L "$place" ]; then
        mkdir -p "$root$place" && mount --rbind "$place" "$root$place"
      fi ;;
  esac
done
exec chroot "$root" /usr/bin/env PATH=/usr/sbin:/usr/bin "$@"
`;
