import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { watch } from "chokidar";

/** Milliseconds: an editor that saves several files, or one in several steps, is one save. */
const quiet = 30;
/** Milliseconds after which files are looked at even if more and more of them are written. */
const longest = 300;
/** The content of a file that does not exist, and of a folder. */
const gone = "gone";

/** What the files of a project held at one moment. */
export type Snapshot = ReadonlyMap<string, string>;

const isIgnored = (path: string): boolean =>
  /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/.test(path);

/** Takes the snapshot with which a watch begins: before the files are loaded, so that no save is missed. */
export function takeSnapshot(folder: string): Snapshot {
  const files = watchedFolders(folder)
    .filter((one) => existsSync(one))
    .flatMap((one) => readdirSync(one, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !isIgnored(relative(folder, file)));
  return new Map(files.map((file) => [file, contentOf(file)]));
}

/** Calls back with the files whose content has changed since the snapshot, or that came or went. */
export function watchProject(
  folder: string,
  before: Snapshot,
  onSave: (files: ReadonlySet<string>) => void,
): AsyncDisposable {
  const contents = new Map(before);
  const reported = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let firstAt = 0;
  const look = (): void => {
    timer = undefined;
    const saved = new Set<string>();
    for (const file of reported) {
      const content = contentOf(file);
      if ((contents.get(file) ?? gone) !== content) saved.add(file);
      contents.set(file, content);
    }
    reported.clear();
    if (saved.size > 0) onSave(saved);
  };
  const note = (file: string): void => {
    if (isIgnored(relative(folder, file))) return;
    reported.add(file);
    if (timer === undefined) firstAt = performance.now();
    else if (performance.now() - firstAt > longest) return;
    clearTimeout(timer);
    timer = setTimeout(look, quiet);
  };
  // It reports each file that it finds at first, too: those that are as in the snapshot are no saves.
  const watcher = watch(watchedFolders(folder), {
    ignored: (path) => isIgnored(relative(folder, path)),
  });
  watcher.on("all", (_, path) => note(path));
  // Of what the system reports of a file, chokidar passes on one change in 50 ms: it may be the one of a file that is
  // still empty, and the one with the content is left out.
  watcher.on("raw", (_, name: string | null, details) => {
    const { watchedPath } = details as { readonly watchedPath: string };
    note(watchedPath);
    // Some systems do not say which file of a folder it is.
    if (name !== null) note(join(watchedPath, name));
  });
  // It reads a folder before it watches it: what is written in between is reported by neither.
  watcher.on("ready", () => {
    for (const file of new Set([...contents.keys(), ...takeSnapshot(folder).keys()])) note(file);
  });
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** The folders of the project that may hold what a workflow or an Agent is made of. */
function watchedFolders(folder: string): string[] {
  const folders = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(node_modules|dist|\..*)$/.test(entry.name))
    .map(({ name }) => join(folder, name));
  return [...new Set([...folders, join(folder, "workflows"), join(folder, "agents")])];
}

function contentOf(file: string): string {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return gone;
  }
}
