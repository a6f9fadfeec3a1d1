import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const kedaVersion = "2.20.2";

/** The folder with KEDA's programs and the definitions of its kinds, outside of the repository. */
const folder =
  process.env["HOLDFAST_KEDA"] ?? join(homedir(), ".cache/holdfast", `keda-${kedaVersion}`);

export interface Keda {
  /** Makes an autoscaler of each ScaledObject, and scales from and to no pods. */
  readonly operator: string;
  /** Answers autoscalers, which ask the API server for external metrics. */
  readonly adapter: string;
  /** The folder of the definitions. */
  readonly definitions: string;
}

const keda: Keda = {
  operator: join(folder, "operator"),
  adapter: join(folder, "adapter"),
  definitions: join(folder, "definitions"),
};

/** KEDA's programs, or why there are none on this machine. */
export function kedaPrograms(): Keda | { readonly reason: string } {
  if (Object.values(keda).every((file) => existsSync(file))) return keda;
  return {
    reason: `there is no KEDA in ${folder}: pnpm --filter @holdfast/infra-tests build-keda`,
  };
}

const run = (cwd: string, command: string, ...args: readonly string[]): string =>
  execFileSync(command, [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Builds KEDA in a copy of its Go module: what a module replaces holds in itself alone. */
export function buildKeda(): void {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, "build-"));
  const source = join(work, "source");
  try {
    const module = `github.com/kedacore/keda/v2@v${kedaVersion}`;
    const { Dir } = JSON.parse(run(work, "go", "mod", "download", "-json", module)) as {
      readonly Dir: string;
    };
    cpSync(Dir, source, { recursive: true });
    // The copies of modules are read-only.
    run(work, "chmod", "-R", "u+w", source);
    for (const name of ["operator", "adapter"] as const) {
      run(source, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", "built", `./cmd/${name}`);
      renameSync(join(source, "built"), keda[name]);
    }
    rmSync(keda.definitions, { recursive: true, force: true });
    renameSync(join(source, "config/crd/bases"), keda.definitions);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
