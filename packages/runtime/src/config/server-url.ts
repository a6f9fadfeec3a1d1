import { isIPv6 } from "node:net";
import { decodePercents } from "@holdfast/domain";

/** A URL that names one server or several, taken apart and decoded. */
export interface ServerUrl {
  readonly scheme: string;
  readonly user: string | null;
  readonly password: string | null;
  /** Hosts in the order given; empty: the URL names none. */
  readonly hosts: readonly UrlHost[];
  /** The path without its first slash; null: there is none. */
  readonly path: string | null;
  readonly parameters: ReadonlyMap<string, string>;
}

export interface UrlHost {
  /** A name, an address without brackets, or the folder of a socket. */
  readonly host: string;
  readonly port: number | null;
}

/**
 * Why a text is no URL of a server. `part`: the words follow the name of a setting; `form`: they
 * follow what it must be.
 */
export class UrlProblem extends Error {
  readonly kind: "form" | "part";

  constructor(kind: UrlProblem["kind"], words: string) {
    super(words);
    this.kind = kind;
  }
}

const encoded = "% is %25, # is %23, / is %2F, ? is %3F, @ is %40";

/** No words of a problem repeat the text: any part of it may be a piece of a password. */
const mustEncode = (part: string): UrlProblem =>
  new UrlProblem("part", `has ${part} that must be encoded as in a URL: ${encoded}`);

/**
 * Takes a URL of servers apart, such as `postgres://user:password@a:5432,b/database?name=value`.
 * Where a reserved character stands as it is, so that the parts could be read in two ways, it
 * throws a `UrlProblem` instead of guessing.
 */
export function parseServerUrl(text: string): ServerUrl {
  const [, scheme = "", rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (rest === undefined) throw new UrlProblem("form", "");
  if (/[\s\p{Cc}]/u.test(rest)) {
    throw new UrlProblem("form", "a blank in it is written as %20");
  }
  const end = endOf(rest, /[/?#]/);
  const [authority, tail] = [rest.slice(0, end), rest.slice(end)];
  const at = authority.lastIndexOf("@");
  if (tail.includes("@")) {
    throw mustEncode(at < 0 ? "a user or a password" : "a user, a password or another part");
  }
  if (tail.includes("#")) throw mustEncode("a part");
  const query = endOf(tail, /\?/);
  return {
    scheme: scheme.toLowerCase(),
    ...loginOf(at < 0 ? null : authority.slice(0, at)),
    hosts: hostsOf(authority.slice(at + 1)),
    path: query === 0 ? null : decode(tail.slice(1, query), "a path"),
    parameters: parametersOf(tail.slice(query + 1)),
  };
}

function endOf(text: string, pattern: RegExp): number {
  const at = text.search(pattern);
  return at < 0 ? text.length : at;
}

function loginOf(login: string | null): Pick<ServerUrl, "user" | "password"> {
  if (login === null) return { user: null, password: null };
  const colon = login.indexOf(":");
  const [user, password] =
    colon < 0 ? [login, null] : [login.slice(0, colon), login.slice(colon + 1)];
  return {
    user: user === "" ? null : decode(user, "a user"),
    password: password === null ? null : decode(password, "a password"),
  };
}

/** Reads hosts with their ports, separated by commas. */
export const hostsOf = (text: string): readonly UrlHost[] =>
  text === "" ? [] : text.split(",").map(hostOf);

const noHost = () =>
  new UrlProblem("form", "its host or its port cannot be read (IPv6 addresses stand in brackets)");

function hostOf(text: string): UrlHost {
  const [whole, address, name = "", digits = ""] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? [];
  if (whole === undefined) throw noHost();
  const host = decode(address ?? name, "a host");
  const isUsable = address === undefined ? isName(host) : isIPv6(host);
  const port = digits === "" ? null : Number(digits);
  if (!isUsable || (port !== null && (port < 1 || port > 65_535))) throw noHost();
  return { host, port };
}

const isName = (host: string): boolean =>
  host.startsWith("/") || (/^[^/\\@:,%<>^|]+$/.test(host) && URL.canParse(`http://${host}`));

function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((one) => one !== "")) {
    const equals = endOf(pair, /=/);
    const name = decode(pair.slice(0, equals), "a parameter");
    if (parameters.has(name)) throw new UrlProblem("part", `has the parameter ${name} twice`);
    const value = pair.slice(equals + 1);
    // `URL` of JavaScript writes a blank so; options of a session have no other plus.
    const text = name === "options" ? value.replaceAll("+", "%20") : value;
    parameters.set(name, decode(text, `a parameter ${name}`));
  }
  return parameters;
}

function decode(text: string, part: string): string {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw mustEncode(part);
  const value = decodePercents(text);
  if (value === null || value.includes("\0")) {
    throw new UrlProblem("part", `has ${part} that is not encoded from UTF-8 text`);
  }
  return value;
}

/** Refuses the parameters that a server of this kind does not have, by name. */
export function mustBeKnown(
  { parameters }: ServerUrl,
  known: readonly string[],
  { server }: { readonly server: string },
): void {
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const list = known.length === 0 ? "it may have none" : `${server} has ${known.join(", ")}`;
  throw new UrlProblem("part", `has the unknown parameter ${shown(unknown)}: ${list}`);
}

/** A name of a parameter; what could be something else is not repeated. */
const shown = (name: string): string => (/^\w{1,40}$/.test(name) ? name : "(unreadable)");

/** Reads the value of a parameter that is one of some words; null: it is not there. */
export function wordOf<const Word extends string>(
  { parameters }: ServerUrl,
  name: string,
  words: readonly Word[],
): Word | null {
  const value = parameters.get(name)?.toLowerCase();
  if (value === undefined) return null;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UrlProblem("part", `has a parameter ${name} that must be ${words.join(" or ")}`);
}

/** Reads the value of a parameter that is a whole number within bounds; null: it is not there. */
export function numberOf(
  { parameters }: ServerUrl,
  name: string,
  [least, most]: readonly [number, number],
): number | null {
  const value = parameters.get(name);
  if (value === undefined) return null;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UrlProblem(
    "part",
    `has a parameter ${name} that must be a whole number from ${least} to ${most}`,
  );
}
