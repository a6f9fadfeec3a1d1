import { digestOfKey } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { accessRulesIn } from "./access-file.ts";

const digest = digestOfKey("one");
const other = digestOfKey("two");
const issuer = {
  issuer: "https://login.example.com/realms/corp",
  audience: "holdfast",
  rules: [{ claim: "groups", has: "payments-ops", approves: ["treasury"] }],
};

const rulesOf = (file: unknown) => accessRulesIn(JSON.stringify(file), "/etc/access.yaml");
const refusalOf = (text: string): string => {
  try {
    accessRulesIn(text, "/etc/access.yaml");
    return "";
  } catch (error) {
    expect(error).toMatchObject({ code: "config.invalid" });
    return (error as Error).message;
  }
};

test("the file is YAML or JSON, and what it leaves out is empty", () => {
  const file = `
principals:
  - id: ada@example.com
    name: Ada Lovelace
    keys: ["${digest}"]
    approves: [treasury, "*"]
  - { id: checkout, keys: ["${other}"] }
`;
  const expected = {
    principals: [
      { id: "ada@example.com", name: "Ada Lovelace", keys: [digest], approves: ["treasury", "*"] },
      { id: "checkout", keys: [other] },
    ],
    issuers: [],
  };
  expect(accessRulesIn(file, "access.yaml")).toEqual(expected);
  expect(rulesOf(expected)).toEqual(expected);
  expect(rulesOf({ issuers: [issuer] })).toEqual({ principals: [], issuers: [issuer] });
});

test.each<[string, object, string]>([
  ["an unknown field", { principal: [] }, "/principal unknown field: the file has no such field"],
  ["no keys", { principals: [{ id: "a", keys: [] }] }, "/principals/0/keys must NOT have fewer"],
  [
    "a key itself",
    { principals: [{ id: "a", keys: ["hfk_x"] }] },
    "/principals/0/keys/0 must match",
  ],
  [
    "an audience in capitals",
    { principals: [{ id: "a", keys: [digest], approves: ["Treasury"] }] },
    "/principals/0/approves/0 must match",
  ],
  [
    "one id twice",
    {
      principals: [
        { id: "a", keys: [digest] },
        { id: "a", keys: [other] },
      ],
    },
    "/principals/1/id is the id of an earlier principal",
  ],
  [
    "one key twice",
    {
      principals: [
        { id: "a", keys: [digest] },
        { id: "b", keys: [digest] },
      ],
    },
    "/principals/1/keys/0 is a key of a",
  ],
  [
    "an id that reads as an operator's name",
    { principals: [{ id: "operator:ann", keys: [digest] }] },
    "/principals/0/id must not begin with application:, broker:, operator: or schedule:",
  ],
  [
    "an id of two lines",
    { principals: [{ id: "a\nb", keys: [digest] }] },
    "/principals/0/id must not begin",
  ],
  [
    "an algorithm with a shared secret",
    { issuers: [{ ...issuer, algorithms: ["HS256"] }] },
    "/issuers/0/algorithms/0 must be equal",
  ],
  ["no algorithm", { issuers: [{ ...issuer, algorithms: ["none"] }] }, "/issuers/0/algorithms/0"],
  ["no rules", { issuers: [{ ...issuer, rules: [] }] }, "/issuers/0/rules must NOT have fewer"],
  [
    "a rule that always holds",
    { issuers: [{ ...issuer, rules: [{ claim: "sub", approves: [] }] }] },
    "/issuers/0/rules/0 must say what its claim has, or what it is",
  ],
  [
    "an issuer over plain HTTP",
    { issuers: [{ ...issuer, issuer: "http://login.example.com" }] },
    "/issuers/0/issuer must be a URL that begins with https://",
  ],
  [
    "keys over plain HTTP",
    { issuers: [{ ...issuer, jwksUri: "http://login.example.com/jwks" }] },
    "/issuers/0/jwksUri must be a URL",
  ],
  ["one issuer twice", { issuers: [issuer, issuer] }, "/issuers/1/issuer is listed before"],
])("a file with %s is refused, with the place", (_, file, words) => {
  const refusal = refusalOf(JSON.stringify(file));
  expect(refusal).toMatch(/^ACCESS_FILE \/etc\/access\.yaml \//);
  expect(refusal).toContain(words);
});

test.each([
  "principals: [",
  "- a",
  "",
  "null",
  "a: &a [*a, *a]",
  "principals: 1",
  "principals: []\nprincipals: []",
])("%j is no access file", (text) => {
  expect(refusalOf(text)).toContain("/etc/access.yaml");
});

test("plain HTTP to this machine is taken, for trials", () => {
  const local = { ...issuer, issuer: "http://127.0.0.1:8080", jwksUri: "http://localhost/jwks" };
  expect(rulesOf({ issuers: [local] }).issuers).toEqual([local]);
});
