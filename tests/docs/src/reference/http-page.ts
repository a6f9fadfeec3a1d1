import { fieldsOf, type Schema, table, typeOf } from "./json-schema.ts";
import { load } from "./load.ts";

interface Route {
  readonly method: string;
  readonly url: string;
  readonly summary?: string;
  readonly description?: string;
  readonly params?: Schema;
  readonly querystring?: Schema;
  readonly headers?: Schema;
  readonly body?: Schema;
}

/** The routes of docs/reference/http.md, as the submission service has them. */
export async function httpPage(): Promise<string> {
  const { listRoutes } = await load("services/submission/test/list-routes.ts");
  const routes = await (listRoutes as () => Promise<readonly Route[]>)();
  return routes
    .toSorted((a, b) => (`${a.url} ${a.method}` < `${b.url} ${b.method}` ? -1 : 1))
    .map(section)
    .join("\n\n");
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
    ...rowsOf("body", body),
  ];
  const heading = [
    `### ${method} ${url}`,
    summary,
    ...(description === undefined ? [] : [description]),
  ].join("\n\n");
  if (parts.length === 0) return heading;
  return `${heading}\n\n${table([["in", "name", "type and bounds", "required"], ...parts])}`;
}

const rowsOf = (place: string, schema: Schema | undefined): readonly (readonly string[])[] =>
  schema === undefined
    ? []
    : fieldsOf(schema).map(({ path, schema: field, isRequired }) => [
        place,
        `\`${path}\``,
        typeOf(field),
        isRequired ? "yes" : "no",
      ]);
