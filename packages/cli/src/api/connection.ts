import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { type Profile, readProfiles } from "./profiles.ts";
import { UsageError } from "./usage-error.ts";
import { fileOf } from "./values.ts";
import type { Invocation, Io } from "./verb.ts";

interface AskedToken {
  readonly token: string | undefined;
  /** The file that holds it. */
  readonly tokenFile: string | undefined;
}

/** What the command line says of the service. */
export interface Asked extends AskedToken {
  readonly url: string | undefined;
  readonly profile: string | undefined;
}

/** The options of every verb that say which service is meant. */
export const askedOf = (text: Invocation["text"]): Asked => ({
  url: text("url"),
  token: text("token"),
  tokenFile: text("token-file"),
  profile: text("profile"),
});

/** A service, and where it is said that it is this one. */
export interface Service extends Profile {
  readonly source: string;
}

/** The client for the service that was asked for. */
export function connect(asked: Asked, io: Io, actor: string): HoldfastClient {
  const { url, token } = serviceOf(asked, io);
  return holdfastClient({
    url,
    actor,
    retryFor: 10_000,
    timeout: 4_000,
    ...(token ? { token } : {}),
  });
}

/**
 * Finds the service on the command line, in the environment, or else in a profile: the token goes
 * with the URL that it belongs to.
 */
export function serviceOf(asked: Asked, { env }: Pick<Io, "env">): Service {
  const givenToken = tokenOf(asked, env);
  const found =
    givenService(asked, env) ?? profileOf(asked.profile ?? env["HOLDFAST_PROFILE"], env);
  if (!URL.canParse(found.url) || !/^https?:/.test(found.url)) {
    throw new UsageError(
      `${found.url} is no URL of a submission service: write it as http://127.0.0.1:3000`,
    );
  }
  return givenToken ? { ...found, token: givenToken } : found;
}

/** The service whose URL was given; null: none was. */
function givenService({ url, profile }: Asked, env: Io["env"]): Service | null {
  if (url) return { url, source: "--url" };
  const set = url === undefined && profile === undefined ? env["HOLDFAST_URL"] : undefined;
  return set ? { url: set, source: "HOLDFAST_URL" } : null;
}

/**
 * The token that was given; undefined: none was. Throws for one that is given twice, and for a file
 * without one.
 */
export function tokenOf({ token, tokenFile }: AskedToken, env: Io["env"]): string | undefined {
  if (token !== undefined || tokenFile !== undefined) {
    return readToken("--token", { text: token, file: tokenFile });
  }
  const text = env["HOLDFAST_TOKEN"] || undefined;
  return readToken("HOLDFAST_TOKEN", { text, file: env["HOLDFAST_TOKEN_FILE"] || undefined });
}

function readToken(
  name: string,
  { text, file }: { readonly text: string | undefined; readonly file: string | undefined },
): string | undefined {
  if (file === undefined) return text;
  if (text !== undefined) {
    throw new UsageError(`The token is given twice: say either ${name} or the file that holds it`);
  }
  const found = fileOf(file).trim();
  if (found === "") throw new UsageError(`${file} is empty: write the token to it`);
  return found;
}

/** A service on this machine unless anything else is said. */
const usual: Service = { url: "http://127.0.0.1:3000", source: "nothing: it is the usual one" };

function profileOf(name: string | undefined, env: Io["env"]): Service {
  const { current, profiles } = readProfiles(env);
  const chosen = name || current;
  if (chosen === null) return usual;
  const found = Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (found !== undefined) return { ...found, source: `profile ${chosen}` };
  const known = Object.keys(profiles).join(", ") || "none";
  throw new UsageError(
    `There is no profile ${chosen}; there are: ${known}. See holdfast config set`,
  );
}
