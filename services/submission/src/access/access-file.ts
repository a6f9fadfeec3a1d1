import { readFile, stat } from "node:fs/promises";
import { audiencePattern, compileInput, type FieldFault } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import { isLoopback, keyDigestPattern } from "@holdfast/runtime";
import { type Static, Type } from "typebox";
import { parse } from "yaml";
import { isPrincipalId, longestId } from "./principal.ts";

/** Entries of each list of the file, at most. */
const most = { principals: 10_000, issuers: 100, rules: 1_000 } as const;
const closed = { additionalProperties: false } as const;
const words = (description: string) =>
  Type.String({ minLength: 1, maxLength: longestId, description });
/** The name of an audience, or `*` for all. */
const Audiences = Type.Array(Type.String({ pattern: `^\\*$|${audiencePattern}` }), {
  description: 'must be names of audiences such as treasury, or "*" for all',
});

const KeyHolder = Type.Object(
  {
    id: words("Stable: what is stored and compared."),
    name: Type.Optional(words("For people.")),
    keys: Type.Array(Type.String({ pattern: keyDigestPattern }), { minItems: 1, maxItems: 10 }),
    approves: Type.Optional(Audiences),
  },
  closed,
);

/** The algorithms that may be named: no shared secrets, and not `none`. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

const Rule = Type.Object(
  {
    claim: words("The name of a claim of the token."),
    has: Type.Optional(words("The claim is a list that has this text, or is this text.")),
    is: Type.Optional(words("The claim is this text.")),
    approves: Audiences,
  },
  closed,
);

const Issuer = Type.Object(
  {
    issuer: Type.String({ minLength: 1, maxLength: 1_000 }),
    audience: words("What the tokens name as the service that they are for."),
    jwksUri: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    algorithms: Type.Optional(
      Type.Array(Type.Unsafe<string>({ enum: algorithms }), { minItems: 1 }),
    ),
    id: Type.Optional(words("The claim that is the id of the principal.")),
    name: Type.Optional(words("The claim that is its name for people.")),
    rules: Type.Array(Rule, { minItems: 1, maxItems: most.rules }),
  },
  closed,
);

const AccessFile = Type.Object(
  {
    principals: Type.Optional(Type.Array(KeyHolder, { maxItems: most.principals })),
    issuers: Type.Optional(Type.Array(Issuer, { maxItems: most.issuers })),
  },
  closed,
);

type KeyHolder = Static<typeof KeyHolder>;
export type Issuer = Static<typeof Issuer>;

/** What the file says: who shows what, and for whom they decide. */
export interface AccessRules {
  readonly principals: readonly KeyHolder[];
  readonly issuers: readonly Issuer[];
}

/** Bytes; a longer file is refused. */
const longestFile = 4 * 1024 * 1024;

/** Reads the text of the file. Throws `config.invalid` where it cannot be read. */
export async function readAccessText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > longestFile) throw new Error("it is longer than 4 MiB");
    return await readFile(path, "utf8");
  } catch (error) {
    throw unusable(path, `cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Reads the rules in the text of the file, which is YAML or JSON. Throws `config.invalid` that
 * names the file and the first places that are wrong.
 */
export function accessRulesIn(text: string, path: string): AccessRules {
  const json = parsed(text, path);
  const wrong = compileInput(
    AccessFile as object as Parameters<typeof compileInput>[0],
    "the file",
  )(json);
  if (wrong.length > 0) throw unusable(path, placesOf(wrong));
  const { principals = [], issuers = [] } = json as Static<typeof AccessFile>;
  const faults = [...faultsOfPrincipals(principals), ...faultsOfIssuers(issuers)];
  if (faults.length > 0) throw unusable(path, faults.slice(0, mostFaults).join("; "));
  return { principals, issuers };
}

const unusable = (path: string, why: string) =>
  new ContractFault("config.invalid", `ACCESS_FILE ${path} ${why}`);

/** The words of the parser go on with the lines that it read. */
function parsed(text: string, path: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    const [first = ""] = (error as Error).message.split("\n");
    throw unusable(path, `is neither YAML nor JSON: ${first.replace(/:$/, "")}`);
  }
}

const mostFaults = 5;

const placesOf = (faults: readonly FieldFault[]): string =>
  faults
    .slice(0, mostFaults)
    .map(({ pointer, detail }) => `${pointer || "/"} ${detail}`)
    .join("; ");

/** One person has one id, and one key stands for one principal. */
function faultsOfPrincipals(principals: readonly KeyHolder[]): readonly string[] {
  const ids = new Set<string>();
  const holders = new Map<string, string>();
  return principals.flatMap(({ id, keys }, index) => {
    const faults: string[] = [];
    const place = `/principals/${index}`;
    if (!isPrincipalId(id)) {
      faults.push(
        `${place}/id must not begin with application:, broker:, operator: or schedule:, nor have control characters or spaces around it`,
      );
    }
    if (ids.has(id))
      faults.push(`${place}/id is the id of an earlier principal: list its keys there`);
    ids.add(id);
    for (const [at, digest] of keys.entries()) {
      if (holders.has(digest))
        faults.push(`${place}/keys/${at} is a key of ${holders.get(digest)}`);
      holders.set(digest, id);
    }
    return faults;
  });
}

function faultsOfIssuers(issuers: readonly Issuer[]): readonly string[] {
  return issuers.flatMap(({ issuer, jwksUri, rules }, index) => {
    const place = `/issuers/${index}`;
    const faults: string[] = [];
    if (!isSafeUrl(issuer)) faults.push(`${place}/issuer ${unsafe}`);
    if (jwksUri !== undefined && !isSafeUrl(jwksUri)) faults.push(`${place}/jwksUri ${unsafe}`);
    if (issuers.findIndex((other) => other.issuer === issuer) < index) {
      faults.push(`${place}/issuer is listed before: write its rules there`);
    }
    for (const [at, { has, is }] of rules.entries()) {
      if ((has === undefined) === (is === undefined)) {
        faults.push(`${place}/rules/${at} must say what its claim has, or what it is`);
      }
    }
    return faults;
  });
}

const unsafe = "must be a URL that begins with https://, or http:// to this machine";

/** Whether what comes from a URL is a proof: others can change what comes over plain HTTP. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
