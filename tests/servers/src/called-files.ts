import { type Profiler, Session } from "node:inspector";

/** Counts which functions of this process are called, with V8's profiler. */
export function openProfiler() {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return {
    /** The product's files of which a function was called since the last time. */
    take(): ReadonlySet<string> {
      let scripts: readonly Profiler.ScriptCoverage[] = [];
      session.post("Profiler.takePreciseCoverage", (_, { result }) => void (scripts = result));
      const files = scripts.flatMap(({ url, functions }) => {
        const file = /(?<file>(?:packages|services)\/[^/]+\/src\/.*\.ts)$/.exec(url)?.groups?.[
          "file"
        ];
        const isCalled = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
        return isCalled && file !== undefined ? [file] : [];
      });
      // What measures is not what is measured.
      return new Set(files.filter((file) => !/^packages\/(?:testing|local-stack)\//.test(file)));
    },
    [Symbol.dispose]: () => session.disconnect(),
  };
}

/**
 * The files that all of several runs have called: what ran by the way in some of them is left out.
 */
export const calledInAll = (runs: readonly ReadonlySet<string>[]): readonly string[] => {
  const [first = new Set<string>(), ...others] = runs;
  return [...first].filter((file) => others.every((one) => one.has(file))).toSorted();
};
