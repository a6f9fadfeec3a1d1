import type { paths } from "@holdfast/client";

type Verb = "get" | "post" | "put";
interface Operation {
  readonly responses: object;
}

/** The paths of the document that take a verb. */
export type PathWith<V extends Verb> = {
  [P in keyof paths]: paths[P][V] extends Operation ? P : never;
}[keyof paths];

type At<V extends Verb, P extends PathWith<V>> = paths[P][V];
type PathOf<O> = O extends { readonly parameters: { readonly path: infer Places } }
  ? { readonly path: Places }
  : { readonly path?: never };
type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Query } }
  ? { readonly query?: Loose<Query> | undefined }
  : { readonly query?: never };
type BodyOf<O> = O extends {
  readonly requestBody: { readonly content: { readonly "application/json": infer Body } };
}
  ? { readonly body: Body }
  : { readonly body?: never };

/** A field that is undefined is not sent. */
type Loose<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined };

/** What the document has a request say. */
type Asked<O> = PathOf<O> &
  QueryOf<O> &
  BodyOf<O> & { readonly headers?: Readonly<Record<string, string>> };

type Part<Whole, Name extends string> = Name extends keyof Whole
  ? NonNullable<Whole[Name]>
  : object;

/**
 * The document says in words that a query asks for a label `x` as `label.x`: it cannot name them.
 */
type Label = `label.${string}`;

/**
 * Refuses fields of a query or a body that the document does not have, also where they are not
 * written down in place.
 */
type NothingMore<Given, Allowed> = {
  [Name in keyof Given]: Name extends "query" | "body"
    ? {
        [Field in keyof Given[Name]]: Field extends keyof Part<Allowed, Name> | Label
          ? unknown
          : never;
      }
    : unknown;
};

declare const checked: unique symbol;

/**
 * A request of the document. Only `call` makes one: its path, query and body are held to the
 * document.
 */
export interface Call {
  readonly method: "GET" | "POST" | "PUT";
  /** The path with its places filled in. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [checked]: true;
}

/**
 * Makes a request. The compiler refuses what the OpenAPI document does not allow in its path, its
 * query or its body.
 */
export function call<V extends Verb, P extends PathWith<V>, G extends Asked<At<V, P>>>(
  verb: V,
  path: P,
  given: G & NothingMore<G, Asked<At<V, P>>>,
): Call {
  const { path: places = {}, query, body, headers } = given as UncheckedParts;
  return {
    method: verb.toUpperCase() as Call["method"],
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(places[name] ?? ""),
    ),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  } as Call;
}

interface UncheckedParts extends Pick<Call, "query" | "body" | "headers"> {
  readonly path?: Readonly<Record<string, string>>;
}
