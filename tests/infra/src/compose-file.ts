import { parse } from "yaml";
import { readFile } from "./repository.ts";

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
  readonly mem_limit?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly healthcheck?: { readonly disable?: boolean };
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly profiles?: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const variable = /\$\{([A-Z_]+):-([^}]*)\}/g;

/** What the README says of a variable without a default: that it is made at the first start. */
const generated = "generated";

/** Stand in for the files in the volumes of secrets. */
const madeUp: Readonly<Record<string, string>> = {
  STATE_STORE_URL: "postgres://login:9f2c4e0b@postgres:5432/holdfast",
  BROKER_URL: "amqp://user:9f2c4e0b@rabbitmq:5672/holdfast",
  OPERATOR_TOKEN: "9f2c4e0b6a1d8375c90e4f2b7d61a3586ce0f94b",
};

/** The environment of a service, with the secrets that it reads from files. */
export const withSecrets = (
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      // A setting of its own, which no file holds.
      const secret = name === "ACCESS_FILE" ? name : name.replace(/_FILE$/, "");
      return [secret, secret === name ? value : (madeUp[secret] ?? "")];
    }),
  );

/** docker-compose.yml as it is when nothing is set. */
export const composeFile = (): ComposeFile =>
  parse(
    readFile("docker-compose.yml").replaceAll(variable, (_, __, byDefault: string) => byDefault),
    { merge: true },
  ) as ComposeFile;

/** Secrets are generated; what else has no default is not set. */
const withoutDefault = (name: string): string =>
  /_(PASSWORD|TOKEN|KEY)$/.test(name) ? generated : "unset";

/** What can be set from outside, with its default. */
export const composeVariables = (): readonly (readonly [string, string])[] =>
  [...readFile("docker-compose.yml").matchAll(variable)].map(
    ([, name = "", byDefault = ""]) => [name, byDefault || withoutDefault(name)] as const,
  );
