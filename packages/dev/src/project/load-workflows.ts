import { fileURLToPath } from "node:url";
import { openSpare } from "../processes/open-spare.ts";
import { extensionOf, type PreparedProcess, prepareProcess } from "../processes/prepare-process.ts";
import type { LoadedFile, LoaderMessage } from "./loader.ts";

/** Loads workflows, each time in a new process: their modules and all that they import are fresh. */
export interface WorkflowLoader extends AsyncDisposable {
  load(files: readonly string[]): Promise<readonly LoadedFile[]>;
  /** The files, in the project and elsewhere, that workflows were made of last, or that were looked for in vain. */
  readonly seen: readonly string[];
}

const main = fileURLToPath(new URL(`./loader${extensionOf(import.meta.url)}`, import.meta.url));
/** Milliseconds. A module that waits for something would keep every later save from being seen. */
const loadWithin = 10_000;

interface LoaderOptions {
  readonly folder: string;
  readonly cacheFolder: string;
  /** Resolves once everything runs. */
  readonly calm: Promise<void>;
}

/** Opens a loader, which always has the next process ready. */
export function openWorkflowLoader({ calm, ...options }: LoaderOptions): WorkflowLoader {
  const packages = ["@holdfast/contracts", "@holdfast/workflow"];
  const prepare = (): PreparedProcess => prepareProcess({ ...options, main, packages });
  const spare = openSpare(prepare, calm);
  let seen: readonly string[] = [];
  return {
    get seen() {
      return seen;
    },
    async load(files) {
      const loading = spare.take();
      const { promise, resolve } = Promise.withResolvers<LoaderMessage | null>();
      const printed: string[] = [];
      loading.onLine((line) => printed.push(line));
      loading.onMessage((message) => resolve(message as LoaderMessage));
      const late = setTimeout(() => loading.signal("SIGKILL"), loadWithin);
      void loading.exited.then(() => resolve(null));
      loading.begin({ HOLDFAST_FILES: JSON.stringify(files) });
      const said = await promise;
      clearTimeout(late);
      if (said !== null) {
        ({ seen } = said);
        return said.loaded;
      }
      const message = printed.at(-1) ?? `it did not load within ${loadWithin / 1_000} s, or ended`;
      return files.map((file) => ({ file, error: { message, place: file } }));
    },
    [Symbol.asyncDispose]: () => spare[Symbol.asyncDispose](),
  };
}
