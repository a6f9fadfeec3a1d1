import { codeIn, commentsIn } from "./comments.ts";
import { loadFaultCodes } from "./reference/fault-codes-page.ts";
import { allFiles, readFile } from "./repository.ts";

/** What a text calls a thing of this repository, by which it can be looked up. */
export interface Name {
  readonly kind: "path" | "command" | "route" | "code" | "table" | "setting" | "package";
  readonly text: string;
}

const isCode = (file: string): boolean =>
  /\.(?:tsx?|mjs|sql|sh|py|ya?ml|conf|tpl|json|html|css)$|Dockerfile$|^\.ci\//.test(file) &&
  !file.startsWith("docs/");

/** The files in which code and comments stand. */
export const codeFiles: readonly string[] = allFiles.filter(isCode);

const folders = new Set(
  allFiles.flatMap((file) => {
    const parts = file.split("/").slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  }),
);
const paths = [...allFiles, ...folders];
const top = new Set(allFiles.map((file) => file.split("/")[0]));
/** The code without the tests of pages: they name what does not exist. */
const code = codeFiles
  .filter((file) => !file.startsWith("tests/docs/"))
  .map((file) => codeIn(file, readFile(file)))
  .join("\n");
const upperCase = new Set(code.match(/\b[A-Z][A-Z0-9_]+\b/g));
const dotted = new Set([...code.matchAll(/["'`]([a-z]+\.[a-z_]+)["'`]/g)].map(([, one]) => one));
const tables = new Set(code.match(/\bstate\.[a-z_]+/g));
const collections = new Set([...code.matchAll(/collection: "([a-z-]+)"/g)].map(([, one]) => one));
const packages = allFiles
  .filter((file) => /(?:^|\/)package\.json$/.test(file))
  .map((file) => JSON.parse(readFile(file)) as Manifest);
const scripts = new Set(packages.flatMap(({ scripts: own = {} }) => Object.keys(own)));
const faultCodes = await loadFaultCodes();
const areas = new Set(Object.keys(faultCodes).map((one) => one.split(".")[0] ?? ""));
const usage = readFile("docs/reference/cli.md");
const { paths: operations } = JSON.parse(readFile("docs/reference/openapi.json")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
const fields = fieldsOfMessages();

interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

const extension = /[^/]\.(?:tsx?|mjs|cjs|js|sql|md|json|ya?ml|sh|py|conf|svg|png|html)$/;
const methods = "GET|POST|PUT|PATCH|DELETE";

/**
 * The name that a text is; null: it is nothing that can be looked up, such as a value or an
 * identifier.
 */
export function nameOf(text: string): Name | null {
  const kind = kindOf(text);
  return kind === null ? null : { kind, text };
}

function kindOf(text: string): Name["kind"] | null {
  if (/^@holdfast\/[a-z-]+(?:\/[a-z-]+)?$/.test(text)) return "package";
  if (/^(?:npm run|pnpm|npm (?:test|start)|(?:npx )?holdfast) ?/.test(text)) return "command";
  if (new RegExp(`^(?:(?:${methods}) /|/v1/)\\S*$`).test(text)) return "route";
  if (/^state\.[a-z_]+$/.test(text)) return "table";
  if (isFaultCode(text)) return "code";
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=\S*)?$/.test(text)) return "setting";
  return isPath(text) ? "path" : null;
}

const isFaultCode = (text: string): boolean =>
  /^[a-z]+\.[a-z_]+$/.test(text) && !extension.test(text) && areas.has(text.split(".")[0] ?? "");

const isPath = (text: string): boolean =>
  /^[\w.@*…<>{},/-]+$/.test(text) &&
  !/^[/@]/.test(text) &&
  (extension.test(text) || (text.includes("/") && top.has(text.split("/")[0])));

const existing: Readonly<Record<Name["kind"], (text: string) => boolean>> = {
  path: hasPath,
  command: hasCommand,
  route: hasRoute,
  code: (text) => text in faultCodes || dotted.has(text) || fields.has(text),
  table: (text) => tables.has(text),
  // X is whichever variable: `X_FILE`.
  setting: (text) => text.startsWith("X_") || upperCase.has(text.replace(/=.*$/, "")),
  package: hasPackage,
};

/** Whether this repository has what the name says. */
export const exists = ({ kind, text }: Name): boolean => existing[kind](text);

/**
 * A path, or its end. `*`, `…`, `<name>`, `NNNN_what` and a file called `x` stand for any; what is
 * built, installed or written by a run is there.
 */
function hasPath(text: string): boolean {
  const plain = text.replace(/^(?:\.\.?\/)+/, "").replace(/:\d+$|\/$/g, "");
  const [source = ""] = plain.split(/(?:^|\/)(?:dist|built|node_modules|\.holdfast)(?:\/|$)/);
  if (source === "") return true;
  const pattern = source
    .replace(/[.+^$()|[\]\\]/g, "\\$&")
    .replace(/\{([^}]*)\}/g, (_, some: string) => `(?:${some.replaceAll(",", "|")})`)
    .replace(/\*+|…|<[^>]*>|NNNN_what|(?<=^|\/)x(?=\\\.)/g, ".*");
  const wanted = new RegExp(`(?:^|/)${pattern}$`);
  return paths.some((path) => wanted.test(path));
}

/** Commands of pnpm itself, and of what is installed. */
const ofPnpm = new Set(["add", "changeset", "create", "dlx", "exec", "install"]);

function hasCommand(text: string): boolean {
  const [, script] = /^(?:npm run|pnpm(?: run)?|npm) ([a-z][\w:-]*)/.exec(text) ?? [];
  if (script !== undefined) return scripts.has(script) || ofPnpm.has(script);
  const [, first, second] =
    /^(?:npx )?holdfast ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/.exec(text) ?? [];
  if (first === undefined) return true;
  const has = (words: string) => new RegExp(`^ {2}${words}(?: |$)`, "m").test(usage);
  const isGroup = usage.includes(`\nholdfast ${first} <verb>`);
  return has(first) || isGroup
    ? !isGroup || second === undefined || has(`${first} ${second}`)
    : false;
}

function hasRoute(text: string): boolean {
  const [, method, url = ""] = new RegExp(`^(?:(${methods}) )?(\\S+)$`).exec(text) ?? [];
  const asked = url
    .replace(/[?#].*$/, "")
    .replace(/\/$/, "")
    .split("/");
  const found = Object.entries(operations).filter(([path]) => matches(asked, path.split("/")));
  // Health, metrics and pages stand in no document: their paths stand in the code.
  if (found.length === 0) return code.includes(`"${asked.join("/")}"`);
  return found.some(([, all]) => method === undefined || method.toLowerCase() in all);
}

const isPlace = (part: string): boolean => /^[:{$<…]|^[A-Z_]+$/.test(part);

/**
 * Whether what is asked for is this path, with whatever names the places in it have. `…` at the end
 * is any rest.
 */
function matches(asked: readonly string[], path: readonly string[]): boolean {
  if (asked.at(-1) === "…") return matches(asked.slice(0, -1), path.slice(0, asked.length - 1));
  if (asked.length !== path.length) return false;
  return path.every((part, at) => {
    const said = asked[at] ?? "";
    if (!part.startsWith("{")) return said === part;
    return part === "{collection}" ? isPlace(said) || collections.has(said) : said !== "";
  });
}

/**
 * A package, with or without one of its exports; or the condition under which their sources are
 * found.
 */
function hasPackage(text: string): boolean {
  const [, name, path] = /^(@holdfast\/[^/]+)(?:\/(.*))?$/.exec(text) ?? [];
  const found = packages.find((one) => one.name === name);
  if (found === undefined) return text === "@holdfast/source" && code.includes(`"${text}"`);
  return path === undefined || `./${path}` in (found.exports ?? {});
}

/** The parts of messages by their paths, such as `undo.key`. */
function fieldsOfMessages(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (schema: JsonSchema, path: string): void => {
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      found.add(path === "" ? name : `${path}.${name}`);
      visit(inner, name);
    }
  };
  for (const file of allFiles.filter((one) => one.startsWith("docs/reference/schemas/"))) {
    visit(JSON.parse(readFile(file)) as JsonSchema, "");
  }
  return found;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

const identifiers = new Set(code.match(/[A-Za-z_$][\w$]*/g));
const stems = new Set(allFiles.map((file) => (file.split("/").at(-1) ?? "").replace(/\..*$/, "")));

/**
 * Whether the word is an identifier that no code has, or the name of a statement or file that there
 * is not.
 */
export function isLostIdentifier(word: string): boolean {
  if (/^[a-z]+(?:[A-Z][a-z]*)+$/.test(word)) return !identifiers.has(word);
  return /^[a-z]+(?:-[a-z]+)+$/.test(word) && !stems.has(word) && !code.includes(word);
}

/** The comments of a file of code. */
export const commentsOf = (file: string): string => commentsIn(file, readFile(file));
