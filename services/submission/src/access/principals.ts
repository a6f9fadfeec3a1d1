import { digestOfKey, isKey, type Logger } from "@holdfast/runtime";
import { type AccessRules, accessRulesIn, readAccessText } from "./access-file.ts";
import { audiencesOf, type Principal } from "./principal.ts";
import { type IssuerOptions, type ShownToken, tokenReader } from "./token-issuers.ts";

/** Who is who, by the access file as it was last read. */
export interface Principals {
  /**
   * The principal that has a key, or the bearer of a token. Throws `auth.issuer_unavailable` where
   * that cannot be known now.
   */
  read(shown: string): Promise<ShownToken>;
  /** Reads the file again. What was known stays where it cannot be used. */
  reread(): Promise<void>;
}

interface PrincipalOptions extends IssuerOptions {
  /** The path of the access file. */
  readonly path: string;
  readonly log: Pick<Logger, "error" | "info">;
}

/** How the principals of one text of the file are found. */
interface Known {
  readonly text: string;
  readonly read: Principals["read"];
}

/** Opens the access file. Throws `config.invalid` for one that cannot be used. */
export async function openPrincipals({
  path,
  log,
  ...options
}: PrincipalOptions): Promise<Principals> {
  const knownBy = (text: string): Known => ({
    text,
    read: readerOf(accessRulesIn(text, path), options),
  });
  let known = knownBy(await readAccessText(path));
  // The same fault is logged once.
  let fault: string | null = null;
  return {
    read: (shown) => known.read(shown),
    async reread() {
      try {
        const text = await readAccessText(path);
        if (text !== known.text) {
          known = knownBy(text);
          log.info("access file read");
        }
        fault = null;
      } catch (err) {
        const { message } = err as Error;
        if (message !== fault) log.error({ err }, "access file unusable");
        fault = message;
      }
    },
  };
}

/** Milliseconds between two readings of the file. */
export const rereadEvery = 5_000;

function readerOf({ principals, issuers }: AccessRules, options: IssuerOptions): Known["read"] {
  const holders = new Map<string, Principal>();
  for (const { id, name = id, keys, approves = [] } of principals) {
    const holder = { id, name, kind: "key", approves: audiencesOf(approves) } as const;
    for (const digest of keys) holders.set(digest, holder);
  }
  const readToken = tokenReader(issuers, options);
  return async (shown) =>
    isKey(shown) ? (holders.get(digestOfKey(shown)) ?? "wrong") : readToken(shown);
}
