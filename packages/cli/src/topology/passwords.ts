import { readFileSync } from "node:fs";
import { ContractFault } from "@holdfast/domain";

/** The password of a user; null: passwords are not given here. Throws `cli.usage` for one that is missing. */
export type PasswordOf = (user: string) => string | null;

/** Finds passwords in the environment, in a file, or nowhere. */
export function passwordsFrom(source: string | null, env: NodeJS.ProcessEnv): PasswordOf {
  if (source === null) return () => null;
  if (source === "env") return (user) => fromEnvironment(user, env);
  const found = passwordsIn(source);
  return (user) => mustBeGiven(user, found[user], `add it to ${source}`);
}

function fromEnvironment(user: string, env: NodeJS.ProcessEnv): string {
  const name = `${user.toUpperCase().replaceAll(/\W/g, "_")}_PASSWORD`;
  const file = env[`${name}_FILE`] ?? "";
  const password = file === "" ? env[name] : contentOf(file).trimEnd();
  return mustBeGiven(user, password, `set ${name} or ${name}_FILE`);
}

function mustBeGiven(user: string, password: unknown, how: string): string {
  if (typeof password === "string" && password.length >= 8) return password;
  const what =
    password === undefined || password === ""
      ? "has no password"
      : "has a password of less than 8 characters";
  throw new ContractFault("cli.usage", `The user ${user} ${what}: ${how}.`);
}

function passwordsIn(file: string): Readonly<Record<string, unknown>> {
  const text = contentOf(file);
  try {
    const found = JSON.parse(text) as unknown;
    if (typeof found === "object" && found !== null && !Array.isArray(found)) {
      return found as Readonly<Record<string, unknown>>;
    }
  } catch {
    // The parser's words quote the passwords.
  }
  throw new ContractFault("cli.usage", `${file} holds no JSON object of users and passwords.`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ContractFault(
      "cli.usage",
      `The passwords cannot be read: ${(error as Error).message}`,
    );
  }
}
