import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { type Profile, readProfiles } from "./profiles.ts";
import { UsageError } from "./usage-error.ts";
import type { Io } from "./verb.ts";

/** What the command line says of the service. */
export interface Asked {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly profile: string | undefined;
}

/** The client for the service that was asked for. */
export function connect(asked: Asked, io: Io, actor: string): HoldfastClient {
  const { url, token } = serviceOf(asked, io);
  return holdfastClient({ url, actor, retryFor: 10_000, ...(token ? { token } : {}) });
}

/** From the command line, the environment, or else a profile: the token goes with the URL that it belongs to. */
export function serviceOf({ url, token, profile }: Asked, { env }: Io): Profile {
  const givenToken = token ?? env["HOLDFAST_TOKEN"];
  const givenUrl = url ?? (profile === undefined ? env["HOLDFAST_URL"] : undefined);
  const found = givenUrl ? { url: givenUrl } : profileOf(profile ?? env["HOLDFAST_PROFILE"], env);
  if (!URL.canParse(found.url) || !/^https?:/.test(found.url)) {
    throw new UsageError(
      `${found.url} is no URL of a submission service: write it as http://127.0.0.1:3000`,
    );
  }
  return givenToken ? { ...found, token: givenToken } : found;
}

/** A service on this machine unless anything else is said. */
const usual: Profile = { url: "http://127.0.0.1:3000" };

function profileOf(name: string | undefined, env: Io["env"]): Profile {
  const { current, profiles } = readProfiles(env);
  const chosen = name || current;
  if (chosen === null) return usual;
  const found = Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(profiles).join(", ") || "none";
  throw new UsageError(
    `There is no profile ${chosen}; there are: ${known}. See holdfast config set`,
  );
}
