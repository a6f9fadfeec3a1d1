import { readFile, sourceFiles } from "../../repository.ts";
import { commentsOfExports, commentsOfKeys } from "../doc-comments.ts";
import { load } from "../load.ts";

/** JSON Schema as it is written down. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A message that `defineMessage` made, with the comments of its source as descriptions. */
export interface DocumentedMessage {
  /** The type, such as `step.request.v1`. */
  readonly type: string;
  readonly summary: string;
  readonly schema: JsonSchema;
}

const isMessage = (value: unknown): value is { readonly type: string; readonly schema: object } =>
  typeof value === "object" && value !== null && "type" in value && "decode" in value;

/** Every message of packages/contracts, by type. */
export async function findMessages(): Promise<readonly DocumentedMessage[]> {
  const files = sourceFiles.filter((file) => /= defineMessage\(/.test(readFile(file)));
  const found = await Promise.all(files.map(messagesOf));
  return found.flat().toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

async function messagesOf(file: string): Promise<readonly DocumentedMessage[]> {
  const source = readFile(file);
  const [exported, comments] = [commentsOfExports(source), commentsOfKeys(source)];
  return Object.entries(await load(file)).flatMap(([name, value]) => {
    if (!isMessage(value)) return [];
    // Only what JSON can hold: TypeBox keeps notes of its own beside it.
    const plain = JSON.parse(JSON.stringify(value.schema)) as JsonSchema;
    const schema = describe(plain, [], comments);
    return [{ type: value.type, summary: exported.get(name) ?? "", schema }];
  });
}

/** The schema with the comment of each key as its description, by the last two keys of its path. */
function describe(
  schema: JsonSchema,
  path: readonly string[],
  comments: ReadonlyMap<string, string>,
): JsonSchema {
  const inner = (part: unknown, more: readonly string[] = []): unknown =>
    typeof part === "object" && part !== null
      ? describe(part as JsonSchema, [...path, ...more], comments)
      : part;
  const description = comments.get(path.slice(-2).join("."));
  const properties = schema["properties"] as Readonly<Record<string, unknown>> | undefined;
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, part]) => [key, inner(part, [key])]),
          ),
        }),
    ...("items" in schema ? { items: inner(schema["items"]) } : {}),
    ...("anyOf" in schema
      ? { anyOf: (schema["anyOf"] as readonly unknown[]).map((part) => inner(part)) }
      : {}),
  };
}
