import { fileURLToPath } from "node:url";
import { openSpare } from "../processes/open-spare.ts";
import { extensionOf, type PreparedProcess, prepareProcess } from "../processes/prepare-process.ts";
import type { LoadedFile, LoaderMessage } from "./loader.ts";

/**
 * Loads workflows, each time in a new process: their modules and all that they import are fresh.
 */
export interface WorkflowLoader extends AsyncDisposable {
  load(files: readonly string[]): Promise<readonly LoadedFile[]>;
  /**
   * The files, in the project and elsewhere, that workflows were made of last, or that were looked
   * for in vain.
   */
  readonly seen: readonly string[];
  /**
   * Ends a load that is late, as one is whose module never comes to its end: the next save has to
   * be seen.
   */
  endLate(): void;
}

const main = fileURLToPath(new URL(`./loader${extensionOf(import.meta.url)}`, import.meta.url));

interface LoaderOptions {
  readonly folder: string;
  readonly cacheFolder: string;
  /** Resolves once everything runs. */
  readonly calm: Promise<void>;
  readonly say: (line: string) => void;
  /**
   * Milliseconds after which a load is late. That alone ends none: how long one takes depends on
   * the machine.
   */
  readonly lateAfter?: number;
}

/** Opens a loader, which always has the next process ready. */
export function openWorkflowLoader(loader: LoaderOptions): WorkflowLoader {
  const { calm, say, lateAfter = 10_000, ...options } = loader;
  const packages = ["@holdfast/contracts", "@holdfast/workflow"];
  const prepare = (): PreparedProcess => prepareProcess({ ...options, main, packages });
  const spare = openSpare(prepare, calm);
  let seen: readonly string[] = [];
  let late: PreparedProcess | null = null;
  return {
    get seen() {
      return seen;
    },
    endLate: () => late?.signal("SIGKILL"),
    async load(files) {
      const loading = spare.take();
      const { promise, resolve } = Promise.withResolvers<LoaderMessage | null>();
      const printed: string[] = [];
      loading.onLine((line) => printed.push(line));
      loading.onMessage((message) => resolve(message as LoaderMessage));
      const timer = setTimeout(() => {
        late = loading;
        say(`Workflows are still being loaded after ${lateAfter / 1_000} s. A save begins anew.`);
      }, lateAfter);
      void loading.exited.then(() => resolve(null));
      loading.begin({ HOLDFAST_FILES: JSON.stringify(files) });
      const said = await promise;
      clearTimeout(timer);
      late = null;
      if (said !== null) {
        ({ seen } = said);
        return said.loaded;
      }
      const message = printed.at(-1) ?? "its process ended before it was loaded";
      return files.map((file) => ({ file, error: { message, place: file } }));
    },
    [Symbol.asyncDispose]: () => spare[Symbol.asyncDispose](),
  };
}
