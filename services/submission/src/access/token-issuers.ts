import { type Milliseconds, TransientFault } from "@holdfast/domain";
import { type Clock, systemClock } from "@holdfast/runtime";
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { type Issuer, isSafeUrl } from "./access-file.ts";
import { audiencesOf, isPrincipalId, longestId, type Principal } from "./principal.ts";

/**
 * What a token shows: a principal; `unassigned`: it is valid, and no rule gives its bearer any
 * right; `wrong`: it is none of the issuers'.
 */
export type ShownToken = Principal | "unassigned" | "wrong";

/** Knows the bearers of tokens. Throws `auth.issuer_unavailable` where that cannot be known now. */
export type ReadToken = (token: string) => Promise<ShownToken>;

export interface IssuerOptions {
  readonly clock?: Pick<Clock, "now">;
  /** The shortest time between two readings of an issuer's keys. */
  readonly cooldown?: Milliseconds;
}

type KeysOf = ReturnType<typeof createRemoteJWKSet>;

/** The algorithms of an issuer that names none. */
const usualAlgorithms = ["RS256", "ES256", "EdDSA", "PS256"];
/** Seconds by which the clocks of issuers may differ from ours. */
const clockTolerance = 30;
/** How long an issuer may take to answer, and for how long its keys are kept. */
const timeout: Milliseconds = 5_000;
const keepKeys: Milliseconds = 600_000;
/** Time for which an issuer is not asked again that failed: each request would wait for it. */
const restAfterFailure: Milliseconds = 5_000;
/** Bytes of a token: a larger one is not looked at. */
const longestToken = 16 * 1024;

/** Reads tokens of the issuers that the access file lists, and of no others. */
export function tokenReader(issuers: readonly Issuer[], options: IssuerOptions = {}): ReadToken {
  const known = new Map(
    issuers.map((issuer) => [issuer.issuer, { issuer, keys: issuerKeys(issuer, options) }]),
  );
  return async (token) => {
    const found = known.get(issuerIn(token) ?? "");
    if (found === undefined) return "wrong";
    const { issuer, keys } = found;
    const payload = await verified(token, issuer, keys);
    return payload === null ? "wrong" : principalIn(payload, issuer);
  };
}

/** The issuer that a token names, which proves nothing yet; null: it is no token. */
function issuerIn(token: string): string | null {
  if (token.length > longestToken) return null;
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

/** The claims of a token; null: it is not valid. */
async function verified(
  token: string,
  { issuer, audience, algorithms = usualAlgorithms }: Issuer,
  keys: () => Promise<KeysOf>,
): Promise<JWTPayload | null> {
  const rules = { issuer, audience, algorithms: [...algorithms], clockTolerance };
  const keySet = await keys();
  try {
    const { payload } = await jwtVerify(token, keySet, { ...rules, requiredClaims: ["exp"] });
    return payload;
  } catch (error) {
    if (isUnavailable(error)) throw unavailable(issuer, error);
    return null;
  }
}

/** Whether it says something about the issuer, and nothing about the token. */
const isUnavailable = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === "ERR_JOSE_GENERIC";

const unavailable = (issuer: string, cause: unknown) =>
  new TransientFault("auth.issuer_unavailable", `The issuer ${issuer} does not answer`, { cause });

/** Opens the keys of an issuer, once it is asked for them. A failure is remembered for a while. */
function issuerKeys(
  { issuer, jwksUri }: Issuer,
  { clock = systemClock, cooldown = 30_000 }: IssuerOptions,
): () => Promise<KeysOf> {
  let keys: KeysOf | null = null;
  let finding: Promise<KeysOf> | null = null;
  let failed: { readonly at: number; readonly error: unknown } | null = null;
  const open = async (): Promise<KeysOf> => {
    const url = new URL(jwksUri ?? (await findJwksUri(issuer)));
    const opened = createRemoteJWKSet(url, {
      timeoutDuration: timeout,
      cooldownDuration: cooldown,
      cacheMaxAge: keepKeys,
    });
    await opened.reload();
    return opened;
  };
  const refresh = async (): Promise<KeysOf> => {
    if (keys === null) return open();
    await keys.reload();
    return keys;
  };
  return async () => {
    if (keys?.fresh === true) return keys;
    if (failed !== null && clock.now() - failed.at < restAfterFailure) {
      throw unavailable(issuer, failed.error);
    }
    try {
      finding ??= refresh().finally(() => (finding = null));
      keys = await finding;
      failed = null;
      return keys;
    } catch (error) {
      failed = { at: clock.now(), error };
      throw unavailable(issuer, error);
    }
  };
}

/** Finds where the keys of an issuer are, by OpenID Connect Discovery. */
async function findJwksUri(issuer: string): Promise<string> {
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
    redirect: "manual",
    signal: AbortSignal.timeout(timeout),
    headers: { accept: "application/json" },
  });
  if (response.status !== 200) throw new Error(`It answered ${response.status}`);
  const found = (await response.json()) as {
    readonly issuer?: unknown;
    readonly jwks_uri?: unknown;
  };
  if (found.issuer !== issuer) throw new Error("Its configuration is that of another issuer");
  if (typeof found.jwks_uri !== "string" || !isSafeUrl(found.jwks_uri)) {
    throw new Error("Its configuration names no jwks_uri that begins with https://");
  }
  return found.jwks_uri;
}

/** The principal that the claims of a valid token describe. */
function principalIn(payload: JWTPayload, issuer: Issuer): ShownToken {
  const claim = issuer.id ?? "sub";
  const id = payload[claim];
  if (typeof id !== "string" || !isPrincipalId(id)) return "wrong";
  // Some issuers let their users write any address.
  if (claim === "email" && payload["email_verified"] !== true) return "wrong";
  const rules = issuer.rules.filter((rule) => holds(rule, payload));
  if (rules.length === 0) return "unassigned";
  const name = payload[issuer.name ?? "name"];
  return {
    id,
    name: typeof name === "string" && name !== "" ? nameIn(name) : id,
    kind: "token",
    approves: audiencesOf(rules.flatMap(({ approves }) => approves)),
  };
}

/** A name as it can be stored and shown on one line. */
const nameIn = (claimed: string): string =>
  claimed
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, longestId)
    .toWellFormed();

function holds({ claim, has, is }: Issuer["rules"][number], payload: JWTPayload): boolean {
  const value = payload[claim];
  if (is !== undefined) return value === is;
  return Array.isArray(value) ? value.includes(has) : value === has;
}
