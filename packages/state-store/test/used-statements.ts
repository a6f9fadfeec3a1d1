import { globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A declaration at the top of a module, and what it mentions. */
interface Declaration {
  readonly statements: readonly string[];
  /** Other declarations, as `<file> <name>`. */
  readonly mentioned: readonly string[];
}

const sources = fileURLToPath(new URL("../src/", import.meta.url));

/** The parts of a `StoreContext` that run statements, by what makes them. */
const partsOfContext: Readonly<Record<string, string>> = {
  catalog: "workflows/workflow-catalog.ts workflowCatalog",
  fairnessGaps: "claim/fairness.ts fairnessGaps",
  partitions: "postgres/active-partitions.ts activePartitions",
};

const declarations = readDeclarations();

/**
 * Finds the statements that a declaration may run, such as `claim/claim-due-steps.ts
 * claimDueSteps`: those that it binds with `query` or `queryAmong`, and those of all other
 * declarations that it mentions.
 */
export function statementsUsedBy(declaration: string): ReadonlySet<string> {
  if (!declarations.has(declaration)) throw new Error(`There is no declaration ${declaration}`);
  const seen = new Set([declaration]);
  // A set may grow while it is gone through.
  for (const one of seen) for (const other of declarations.get(one)!.mentioned) seen.add(other);
  return new Set([...seen].flatMap((one) => declarations.get(one)!.statements));
}

function readDeclarations(): ReadonlyMap<string, Declaration> {
  const files = globSync("**/*.ts", { cwd: sources, exclude: ["**/*.test.ts", "roles.ts"] });
  const modules = files.map((file) => readModule(file));
  const known = new Set(
    modules.flatMap(({ file, parts }) => parts.map(([name]) => `${file} ${name}`)),
  );
  return new Map(
    modules.flatMap(({ file, imported, parts }) =>
      parts.map(([name, text]): [string, Declaration] => {
        const words = new Set(wordsIn(text));
        const mentioned = [...words].flatMap((word) => [
          imported.get(word) ?? `${file} ${word}`,
          partsOfContext[word] ?? "",
        ]);
        const own = `${file} ${name}`;
        const others = mentioned.filter((other) => known.has(other) && other !== own);
        return [own, { statements: boundIn(text), mentioned: others }];
      }),
    ),
  );
}

/** Reads a module as Biome writes it: what stands at the beginning of a line is at the top. */
function readModule(file: string) {
  const text = readFileSync(sources + file, "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(?<![:"`])\/\/.*/g, "");
  const imported = new Map<string, string>();
  for (const [, names = "", from = ""] of text.matchAll(
    /^import \{([^}]*)\} from "(\.[^"]*)";/gm,
  )) {
    const path = relative(sources, resolve(sources, dirname(file), from));
    for (const name of names.split(",").map((one) => one.trim())) {
      if (name !== "" && !name.startsWith("type ")) imported.set(name, `${path} ${name}`);
    }
  }
  const parts = text
    .split(/^(?=(?:export )?(?:async )?(?:const|function|class|interface|type|import) )/m)
    .flatMap((part): readonly (readonly [name: string, text: string])[] => {
      const [head = "", name] =
        /^(?:export )?(?:async )?(?:const|function|class) (\w+)/.exec(part) ?? [];
      return name === undefined ? [] : [[name, part.slice(head.length)]];
    });
  return { file, imported, parts };
}

function boundIn(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/(?<!\.)\bquery(?:Among)?\(\s*"([a-z-]+)"/g),
    ([, name = ""]) => name,
  );
}

/** The names in a text, without those of fields and what stands in strings. */
function wordsIn(text: string): readonly string[] {
  const fields = /(?<!(?<!\.\.)\.)\b([A-Za-z]\w*)\b(?!\??:)|\.(catalog|fairnessGaps|partitions)\b/g;
  const code = text.replaceAll(/"[^"\n]*"/g, "");
  return Array.from(code.matchAll(fields), ([, name, field = ""]) => name ?? field);
}
