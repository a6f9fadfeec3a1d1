import {
  type Field,
  fieldsOf,
  linkTo,
  ownPages,
  type Schema,
  table,
  typeOf,
} from "./json-schema.ts";
import { load } from "./load.ts";

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Route {
  readonly method: string;
  readonly url: string;
  readonly summary?: string;
  readonly description?: string;
  readonly params?: Schema;
  readonly querystring?: Schema;
  readonly headers?: Schema;
  readonly body?: Schema;
  readonly response?: Readonly<Record<string, Answer>>;
  readonly commonCodes: Codes;
  readonly "x-codes"?: Codes;
}

type Codes = Readonly<Record<string, readonly string[]>>;

type NamedSchema = Schema & { readonly $id: string };

/**
 * The routes of docs/reference/http.md as the submission service has them, and what they answer.
 */
export async function httpPage(): Promise<string> {
  const { listRoutes } = await load("services/submission/test/list-routes.ts");
  const { namedSchemas } = await load("services/submission/src/api/schemas.ts");
  const routes = await (listRoutes as () => Promise<readonly Route[]>)();
  const sections = routes
    .toSorted((a, b) => (`${a.url} ${a.method}` < `${b.url} ${b.method}` ? -1 : 1))
    .map(section);
  const bodies = (namedSchemas as readonly NamedSchema[])
    .filter(({ $id }) => !($id in ownPages))
    .toSorted((a, b) => (a.$id < b.$id ? -1 : 1))
    .map(bodySection);
  return [...sections, "## Bodies of answers", ...bodies].join("\n\n");
}

/** The codes that follow from no rule about all routes, or all of a kind. */
function refusalsOf({ commonCodes, ...route }: Route): readonly (readonly string[])[] {
  return Object.entries(route["x-codes"] ?? {}).flatMap(([status, codes]) => {
    const own = codes.filter((code) => commonCodes[status]?.includes(code) !== true);
    const words = own.map((code) => `\`${code}\``).join(", ");
    return own.length === 0 ? [] : [[status, "[Problem](#problem)", words]];
  });
}

function section(route: Route): string {
  const { method, url, summary, description, params, querystring, headers, body } = route;
  if (summary === undefined) {
    throw new Error(`${method} ${url} has no summary: give its schema one, one sentence.`);
  }
  const parts = [
    ...rowsOf("path", params),
    ...rowsOf("query", querystring),
    ...rowsOf("header", headers),
    ...wholeBody(body),
    ...rowsOf("body", body),
  ];
  const asked = [["in", "name", "type and bounds", "required", "meaning"], ...parts];
  return [
    `### ${method} ${url}`,
    summary,
    ...(description === undefined ? [] : [description]),
    ...(parts.length === 0 ? [] : [table(asked)]),
    ...answersOf(route),
  ].join("\n\n");
}

/** A body that has a name is described where that is. */
const wholeBody = ({ $ref }: Schema = {}): readonly (readonly string[])[] =>
  $ref === undefined ? [] : [["body", "the whole", linkTo($ref), "yes", "The document."]];

const rowsOf = (place: string, schema: Schema | undefined): readonly (readonly string[])[] =>
  schema === undefined
    ? []
    : fieldsOf(schema).map((field) => [
        place,
        `\`${field.path}\``,
        typeOf(field.schema),
        field.isRequired ? "yes" : "no",
        meaningOf(field),
      ]);

function meaningOf({ path, schema: { description } }: Field): string {
  if (description !== undefined) return description;
  throw new Error(`${path} has no description: give its schema one, one sentence.`);
}

/** What it answers when all is well, and the codes of its own. */
function answersOf(route: Route): readonly string[] {
  const { response = {} } = route;
  const answers = Object.entries(response)
    .filter(([status]) => /^\d+$/.test(status))
    .map(([status, { description, content = {} }]) => [status, bodyOf(content), description]);
  const rows = [...answers, ...refusalsOf(route)];
  return rows.length === 0 ? [] : [table([["answer", "body", "when"], ...rows])];
}

function bodyOf(content: NonNullable<Answer["content"]>): string {
  const [[mediaType, { schema }] = ["", { schema: {} as Schema }]] = Object.entries(content);
  const events = schema.items?.anyOf?.map(({ $ref = "" }) => linkTo($ref));
  if (events !== undefined) return `\`${mediaType}\` of ${events.join(", ")}`;
  const name = schema.$ref?.replace("#", "");
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  return mediaType === "application/json" || mediaType === "" ? "none" : `\`${mediaType}\``;
}

function bodySection(schema: NamedSchema): string {
  const rows = fieldsOf(schema).map((field) => [
    `\`${field.path}\``,
    typeOf(field.schema),
    meaningOf(field),
  ]);
  const { $id, description = "" } = schema;
  return `### ${$id}\n\n${description}\n\n${table([["name", "type and bounds", "meaning"], ...rows])}`;
}
