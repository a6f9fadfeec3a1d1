import { readFile, sourceFiles } from "../repository.ts";
import { commentsOfExports, commentsOfKeys } from "./doc-comments.ts";
import { fieldsOf, type Schema, table, typeOf } from "./json-schema.ts";
import { load } from "./load.ts";

interface Message {
  readonly type: string;
  readonly schema: Schema;
}

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && "type" in value && "decode" in value;

/** The tables of docs/reference/messages.md: each message that `defineMessage` made. */
export async function messagesPage(): Promise<string> {
  const files = sourceFiles.filter((file) => /= defineMessage\(/.test(readFile(file)));
  const sections = await Promise.all(files.map(messagesOf));
  return sections
    .flat()
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join("\n\n");
}

async function messagesOf(file: string): Promise<readonly string[]> {
  const source = readFile(file);
  const comments = commentsOfKeys(source);
  const exported = commentsOfExports(source);
  return Object.entries(await load(file)).flatMap(([name, value]) => {
    if (!isMessage(value)) return [];
    const rows = fieldsOf(value.schema).map(({ path, schema, isRequired }) => {
      const keys = path
        .replaceAll("[]", "")
        .replace(/ \(.*?\)/g, "")
        .split(".");
      return [
        `\`${path}\``,
        typeOf(schema),
        isRequired ? "yes" : "no",
        schema.description ?? comments.get(keys.slice(-2).join(".")) ?? missing(path, file),
      ];
    });
    const head = ["field", "type and bounds", "required", "meaning"];
    return [`## ${value.type}\n\n${exported.get(name) ?? ""}\n\n${table([head, ...rows])}`];
  });
}

function missing(path: string, file: string): never {
  throw new Error(`${path} in ${file} has no comment: say in one sentence what it is.`);
}
