import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Manifest } from "./manifest.ts";
import { pathOf } from "./repository.ts";

interface Model {
  validate(): void;
}

/** What Kubernetes, or the operator whose object it is, would refuse. */
export async function schemaFaults(object: Manifest): Promise<readonly string[]> {
  const models = (await import(moduleOf(object))) as Record<
    string,
    new (
      object: Manifest,
    ) => Model
  >;
  const Kind = models[object.kind];
  if (Kind === undefined) throw new Error(`There is no model of ${object.kind}`);
  try {
    new Kind(object).validate();
    return [];
  } catch (error) {
    return [`${object.kind} ${object.metadata.name}: ${String(error)}`];
  }
}

/**
 * Fields that do not exist. The models' validators let them pass, as Kubernetes does, so that a
 * misspelt limit limits nothing; the compiler does not.
 */
export function unknownFields(objects: readonly Manifest[]): readonly string[] {
  const lines = objects.map((object, index) => {
    const type = `import("${moduleOf(object)}").I${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object)};`;
  });
  const built = pathOf("tests/infra/dist");
  mkdirSync(built, { recursive: true });
  // Other processes do the same at this time.
  const folder = mkdtempSync(`${built}/rendered-`);
  writeFileSync(`${folder}/rendered.ts`, lines.join("\n"));
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck"];
  try {
    const tsc = pathOf("node_modules/typescript/bin/tsc");
    const file = `${folder}/rendered.ts`;
    execFileSync(process.execPath, [tsc, ...options, "--module", "nodenext", file], {
      encoding: "utf8",
    });
    return [];
  } catch (error) {
    return (error as { readonly stdout: string }).stdout.trim().split("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const packages: Readonly<Record<string, string>> = {
  "keda.sh": "@kubernetes-models/keda",
  "postgresql.cnpg.io": "@kubernetes-models/cloudnative-pg",
};

function moduleOf({ apiVersion, kind }: Manifest): string {
  const group = apiVersion.split("/")[0] ?? "";
  return `${packages[group] ?? "kubernetes-models"}/${apiVersion}/${kind}`;
}
