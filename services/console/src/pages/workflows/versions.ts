/** A workflow with its versions, the newest first. */
export interface Family<T> {
  readonly name: string;
  readonly versions: readonly T[];
}

/** `fulfil-order` and 3 of `fulfil-order.v3`; a name without a version is its own family. */
export function splitName(name: string): { readonly family: string; readonly version: number } {
  const [, family = name, version = "0"] = /^(.+)\.v([1-9][0-9]{0,8})$/.exec(name) ?? [];
  return { family, version: Number(version) };
}

/** Workflows by name, each with all its versions. */
export function familiesOf<T extends { readonly name: string }>(
  workflows: readonly T[],
): readonly Family<T>[] {
  const families = new Map<string, T[]>();
  for (const workflow of workflows) {
    const { family } = splitName(workflow.name);
    families.set(family, [...(families.get(family) ?? []), workflow]);
  }
  return [...families]
    .toSorted(([one], [other]) => one.localeCompare(other, "en"))
    .map(([name, versions]) => ({
      name,
      versions: versions.toSorted(
        (one, other) => splitName(other.name).version - splitName(one.name).version,
      ),
    }));
}
