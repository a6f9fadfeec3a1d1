import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";

/** The release of Kubernetes. Its parts are Go modules of their own, whose major version is 0. */
export const kubernetesVersion = "1.36.3";
const partsVersion = "0.36.3";

/** The folder of the programs, outside of the repository: to build them takes ten minutes. */
const folder =
  process.env["HOLDFAST_API_SERVER"] ??
  join(homedir(), ".cache/holdfast", `kube-apiserver-${kubernetesVersion}`);

/** What Kubernetes's own build writes into the program: clients ask for its version. */
const [major, minor] = kubernetesVersion.split(".");
const stamp = Object.entries({
  gitVersion: `v${kubernetesVersion}`,
  gitMajor: major,
  gitMinor: minor,
})
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(" ");

export interface Programs {
  readonly apiServer: string;
  readonly etcd: string;
}

const programs: Programs = {
  apiServer: join(folder, "kube-apiserver"),
  etcd: join(folder, "etcd"),
};
/** Kubernetes's own controllers: an API server has objects, and they act on them. */
const controllers = join(folder, "kube-controller-manager");

const builtBy = "pnpm --filter @holdfast/infra-tests build-api-server";

/** The programs of an API server, or why there are none on this machine. */
export function apiServerPrograms(): Programs | { readonly reason: string } {
  if (Object.values(programs).every((file) => existsSync(file))) return programs;
  return { reason: `there is no kube-apiserver in ${folder}: ${builtBy}` };
}

/** The program with Kubernetes's own controllers, or why there is none on this machine. */
export const controllerManager = (): { readonly command: string } | { readonly reason: string } =>
  existsSync(controllers)
    ? { command: controllers }
    : { reason: `there is no kube-controller-manager in ${folder}: ${builtBy}` };

/** Builds kube-apiserver and its controllers from their Go module, and unpacks Debian's etcd. */
export function buildApiServer(): void {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, "build-"));
  const run = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, [...args], {
      cwd: work,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, GOFLAGS: "-mod=mod" },
    });
  try {
    const built = [programs.apiServer, controllers].filter((file) => !existsSync(file));
    if (built.length > 0) {
      const module = `k8s.io/kubernetes@v${kubernetesVersion}`;
      const { GoMod } = JSON.parse(run("go", "mod", "download", "-json", module)) as {
        readonly GoMod: string;
      };
      writeFileSync(join(work, "go.mod"), moduleFile(readFileSync(GoMod, "utf8")));
      const imports = built.map((file) => `import _ "${commandOf(file)}"`).join("\n");
      writeFileSync(join(work, "tools.go"), `//go:build tools\n\npackage tools\n\n${imports}\n`);
      run("go", "mod", "tidy");
      for (const file of built) {
        const options = ["-trimpath", `-ldflags=-s -w ${stamp}`, "-o", "built"];
        run("go", "build", ...options, commandOf(file));
        renameSync(join(work, "built"), file);
      }
    }
    if (!existsSync(programs.etcd)) {
      run("apt-get", "download", "etcd-server");
      run("sh", "-c", "dpkg-deb --extract etcd-server_*.deb etcd");
      renameSync(join(work, "etcd/usr/bin/etcd"), programs.etcd);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The package of a program. */
const commandOf = (file: string): string => `k8s.io/kubernetes/cmd/${basename(file)}`;

/**
 * A module that needs Kubernetes. In its own module the parts are folders; here they are the
 * modules of the same release.
 */
function moduleFile(theirs: string): string {
  const [, go = ""] = /^go (\S+)$/m.exec(theirs) ?? [];
  const parts = new Set(
    [...theirs.matchAll(/(k8s\.io\/[a-z-]+) v0\.0\.0$/gm)].map(([, name]) => name),
  );
  return [
    `module apiserver\n\ngo ${go}\n\nrequire k8s.io/kubernetes v${kubernetesVersion}\n`,
    ...[...parts].map((name) => `replace ${name} => ${name} v${partsVersion}`),
    "",
  ].join("\n");
}
