import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type FSWatcher, watch } from "chokidar";

/** Milliseconds: an editor that saves several files, or one in several steps, is one save. */
const quiet = 30;
/** Milliseconds after which files are looked at even if more and more of them are written. */
const longest = 300;
/** The content of a file that does not exist, and of a folder. */
const gone = "gone";

/** The content of a file that may be another one than was loaded. */
const unknown = "unknown";

/** What the files of a project held at one moment. */
export type Snapshot = ReadonlyMap<string, string>;

const isIgnored = (path: string): boolean =>
  /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/.test(path);

/**
 * Takes the snapshot with which a watch begins: before the files are loaded, so that no save is
 * missed.
 */
export function takeSnapshot(folder: string): Snapshot {
  const files = watchedFolders(folder)
    .filter((one) => existsSync(one))
    .flatMap((one) => readdirSync(one, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !isIgnored(relative(folder, file)));
  return new Map(files.map((file) => [file, contentOf(file)]));
}

/** A watch of the files of a project, and of those that it imports from elsewhere. */
export interface ProjectWatch extends AsyncDisposable {
  /**
   * Watches these files, too, wherever they are: what a project imports may lie beside it, as the
   * packages of a monorepo do. One that was written after `loadedFrom`, in milliseconds since 1970,
   * counts as saved.
   */
  also(files: readonly string[], loadedFrom: number): void;
}

/** Calls back with the files whose content has changed since the snapshot, or that came or went. */
export function watchProject(
  folder: string,
  before: Snapshot,
  onSave: (files: ReadonlySet<string>) => void,
): ProjectWatch {
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
    reported.add(file);
    if (timer === undefined) firstAt = performance.now();
    else if (performance.now() - firstAt > longest) return;
    clearTimeout(timer);
    timer = setTimeout(look, quiet);
  };
  const isOfProject = (path: string): boolean => !isIgnored(relative(folder, path));
  // It reports each file that it finds at first, too: those that are as in the snapshot are no
  // saves.
  const watcher = watch(watchedFolders(folder), { ignored: (path) => !isOfProject(path) });
  forEachReport(watcher, (path) => isOfProject(path) && note(path));
  // It reads a folder before it watches it: what is written in between is reported by neither.
  watcher.on("ready", () => {
    for (const file of new Set([...contents.keys(), ...takeSnapshot(folder).keys()])) note(file);
  });
  let isClosed = false;
  const others = new Set<string>();
  const otherWatcher = watch([]);
  forEachReport(otherWatcher, (path) => others.has(path) && note(path));
  const isWatched = (file: string): boolean =>
    others.has(file) || (isOfProject(file) && isBelow(file, watchedFolders(folder)));
  return {
    also(files, loadedFrom) {
      // Adding files to a watcher that is closed would open it again.
      if (isClosed) return;
      const added = files.filter((file) => !isWatched(file));
      for (const file of added) {
        others.add(file);
        contents.set(file, writtenAt(file) >= loadedFrom ? unknown : contentOf(file));
      }
      otherWatcher.add(added);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all([watcher.close(), otherWatcher.close()]);
    },
  };
}

function forEachReport(watcher: FSWatcher, note: (path: string) => void): void {
  watcher.on("all", (_, path) => note(path));
  // Of what the system reports of a file, chokidar passes on one change in 50 ms: it may be the one
  // of a file that is still empty, and the one with the content is left out.
  watcher.on("raw", (_, name: string | null, details) => {
    const { watchedPath } = details as { readonly watchedPath: string };
    note(watchedPath);
    // Some systems do not say which file of a folder it is.
    if (name !== null) note(join(watchedPath, name));
  });
}

/** The folders of the project that may hold what a workflow or an Agent is made of. */
function watchedFolders(folder: string): string[] {
  const folders = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(node_modules|dist|\..*)$/.test(entry.name))
    .map(({ name }) => join(folder, name));
  return [...new Set([...folders, join(folder, "workflows"), join(folder, "agents")])];
}

const isBelow = (file: string, folders: readonly string[]): boolean =>
  folders.some((folder) => file.startsWith(join(folder, "/")));

const writtenAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function contentOf(file: string): string {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return gone;
  }
}
