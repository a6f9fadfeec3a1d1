import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { watch } from "chokidar";

/** Milliseconds: an editor that saves several files, or one in several steps, is one save. */
const quiet = 30;

/** Calls back with the files whose content changed, or that came or went. */
export function watchProject(
  folder: string,
  onSave: (files: ReadonlySet<string>) => void,
): AsyncDisposable {
  const contents = new Map<string, string>();
  const saved = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const note = (file: string): void => {
    const content = contentOf(file);
    if (contents.get(file) === content) return;
    contents.set(file, content);
    saved.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = new Set(saved);
      saved.clear();
      onSave(files);
    }, quiet);
  };
  const watcher = watch(watchedFolders(folder), {
    ignored: (path) => /(^|\/)(node_modules|\.[^/]+)$/.test(path),
    ignoreInitial: false,
  });
  let isUp = false;
  watcher.on("ready", () => {
    isUp = true;
  });
  watcher.on("all", (event, path) => {
    if (event === "addDir" || event === "unlinkDir") return;
    if (isUp) note(path);
    else contents.set(path, contentOf(path));
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
    return "gone";
  }
}
