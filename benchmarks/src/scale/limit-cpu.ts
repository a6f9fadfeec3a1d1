import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { version1, version2 } from "./control-groups.ts";

const prefix = "holdfast-bench-";

/**
 * Lets a process use this share of a core and no more, as a CPU limit of Kubernetes does, until it
 * is disposed. Throws where Linux, our rights or a container do not let us.
 */
export async function limitCpu(pid: number, share: number): Promise<AsyncDisposable> {
  await using owner = new AsyncDisposableStack();
  const group = owner.use(await makeGroup(`${prefix}${pid}`, share));
  await writeFile(group.members, `${pid}`);
  return owner.move();
}

/** Tries it with a group without processes. Null if it can be done. */
export async function whyNotLimited(share: number): Promise<string | null> {
  try {
    await using _group = await makeGroup(`${prefix}${process.pid}`, share);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Group extends AsyncDisposable {
  /** The file that has the ids of its processes. */
  readonly members: string;
}

async function makeGroup(name: string, share: number): Promise<Group> {
  const groups = [version1, version2].find(({ folder }) => existsSync(membersOf(folder)));
  if (groups === undefined) throw new Error("no control groups for CPU");
  const { folder, limit } = groups;
  await removeAbandoned(folder);
  await using owner = new AsyncDisposableStack();
  await mkdir(join(folder, name));
  owner.defer(() => removeGroup(folder, name));
  for (const [file, text] of limit(name, share)) await writeFile(join(folder, file), text);
  const made = owner.move();
  return {
    members: membersOf(join(folder, name)),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

const membersOf = (group: string): string => join(group, "cgroup.procs");

/** Linux removes none that has processes: they go back to the top, where nothing limits them. */
async function removeGroup(folder: string, name: string): Promise<void> {
  const members = await readFile(membersOf(join(folder, name)), "utf8");
  for (const pid of members.split("\n").filter(Boolean)) await writeFile(membersOf(folder), pid);
  await rmdir(join(folder, name));
}

/** Removes groups of processes that ended when what had limited them was killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || existsSync(`/proc/${name.slice(prefix.length)}`)) continue;
    await rmdir(join(folder, name));
  }
}
