import { randomBytes } from "node:crypto";
import { askedOf, type Service, serviceOf, tokenOf } from "../connection.ts";
import { own } from "../own-options.ts";
import { type Profile, profilesFile, readProfiles, writeProfiles } from "../profiles.ts";
import { UsageError } from "../usage-error.ts";
import type { Invocation, Verb } from "../verb.ts";

/** A token as it is printed. */
const masked = (token: string | undefined): string | null =>
  token === undefined ? null : `${token.slice(0, 4)}…`;

const listVerb: Verb = {
  name: "config list",
  operations: [],
  operands: [],
  summary: "list the profiles, without their tokens",
  options: {},
  async run({ io: { env } }) {
    const { current, profiles } = readProfiles(env);
    const value = Object.entries(profiles).map(([name, { url, token }]) => ({
      name,
      current: name === current,
      url,
      token: masked(token),
    }));
    const note = value.length === 0 ? `No profile yet in ${profilesFile(env)}.` : undefined;
    return { value, note };
  },
};

const profileName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;

const setVerb: Verb = {
  name: "config set",
  operations: [],
  operands: ["<profile>"],
  summary:
    "write a profile: --url and --token-file (or --token-stdin); the first is used from then on",
  options: own("token-stdin"),
  examples: ["config set local --url http://127.0.0.1:3000 --token-file token"],
  async run(invocation) {
    const { operands, io, text } = invocation;
    const [profile = ""] = operands;
    if (!profileName.test(profile) || profile === "__proto__") {
      throw new UsageError(`${profile} is no name of a profile: use letters, digits and _ . -`);
    }
    const known = readProfiles(io.env);
    const before: Partial<Profile> = Object.hasOwn(known.profiles, profile)
      ? (known.profiles[profile] ?? {})
      : {};
    const token = invocation.flag("token-stdin")
      ? (await io.stdin()).trim()
      : tokenOf(askedOf(text), {});
    const url = text("url") ?? before.url;
    if (url === undefined) throw new UsageError("Say --url, such as http://127.0.0.1:3000");
    const kept = token || before.token;
    const asked = { url, token: kept, tokenFile: undefined, profile: undefined };
    const { source: _, ...checked } = serviceOf(asked, { env: {} });
    writeProfiles(io.env, {
      current: known.current ?? profile,
      profiles: { ...known.profiles, [profile]: checked },
    });
    const value = { name: profile, url, token: masked(kept), file: profilesFile(io.env) };
    return { value, text: `Profile ${profile} is written to ${value.file}.` };
  },
};

const changeVerb = (
  change: "use" | "delete",
  { summary, done }: { readonly summary: string; readonly done: string },
): Verb => ({
  name: `config ${change}`,
  operations: [],
  operands: ["<profile>"],
  summary,
  options: {},
  async run({ operands: [profile = ""], io: { env } }) {
    const { current, profiles } = readProfiles(env);
    if (!Object.hasOwn(profiles, profile)) {
      throw new UsageError(
        `There is no profile ${profile}; there are: ${Object.keys(profiles).join(", ") || "none"}`,
      );
    }
    const left = Object.fromEntries(Object.entries(profiles).filter(([one]) => one !== profile));
    writeProfiles(
      env,
      change === "use"
        ? { current: profile, profiles }
        : { current: current === profile ? null : current, profiles: left },
    );
    return { value: { name: profile, done: change }, text: `Profile ${profile} ${done}.` };
  },
});

const showVerb: Verb = {
  name: "config show",
  operations: [],
  operands: [],
  summary: "show which service is used, and where that is said",
  options: {},
  async run(invocation) {
    const { url, token, source } = chosen(invocation);
    const file = profilesFile(invocation.io.env);
    const value = { url, source, token: masked(token), file };
    return { value, items: [value] };
  },
};

const chosen = ({ text, io }: Invocation): Service => serviceOf(askedOf(text), io);

const makeKeyVerb: Verb = {
  name: "keys make",
  isLocal: true,
  operations: [],
  operands: [],
  summary: "make the key of a person or a service, and the line for the file of ACCESS_FILE",
  details: `The key is printed once, and kept nowhere: its holder sets it as HOLDFAST_TOKEN. The digest stands among the keys of its
principal in the file that ACCESS_FILE of the submission service names.`,
  options: {},
  async run() {
    const { digestOfKey, makeKey } = await import("@holdfast/runtime");
    const key = makeKey();
    const digest = digestOfKey(key);
    return {
      value: { key, digest, variable: "HOLDFAST_TOKEN", setting: "ACCESS_FILE" },
      text: `${key}\n${digest}`,
      items: [{ id: key, digest }],
    };
  },
};

const newKeyVerb: Verb = {
  name: "keys new",
  operations: [],
  operands: [],
  summary: "make the operators' token: set it as OPERATOR_TOKEN of the submission service",
  options: {},
  async run() {
    const token = randomBytes(32).toString("base64url");
    return {
      value: { token, variable: "OPERATOR_TOKEN" },
      text: token,
      items: [{ id: token }],
    };
  },
};

const checkKeyVerb: Verb = {
  name: "keys check",
  // Operators may ask it, and those who decide.
  operations: ["listApprovals"],
  operands: [],
  summary: "say whether the service takes the token or key that would be sent",
  options: {},
  async run(invocation) {
    const { url, token } = chosen(invocation);
    await invocation.client().approvals.list({}, { limit: 1 });
    const value = { url, token: masked(token), accepted: true };
    return { value, text: `${url} takes the token.` };
  },
};

export const configVerbs: readonly Verb[] = [
  listVerb,
  setVerb,
  changeVerb("use", { summary: "use a profile from now on", done: "is used from now on" }),
  changeVerb("delete", { summary: "delete a profile", done: "is deleted" }),
  showVerb,
];
export const keyVerbs: readonly Verb[] = [makeKeyVerb, newKeyVerb, checkKeyVerb];
