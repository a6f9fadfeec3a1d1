// Makes the secrets of a Compose deployment at its first start, and gives each service its own ones
// as files in a volume that no other service has. What the environment says wins, then what was
// made before, of which each service has a copy. Refuses a clone in another folder, whose
// containers and data these are not. With names as arguments, such as OPERATOR_TOKEN: prints those.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folder = process.env["SECRETS_FOLDER"] ?? "/secrets";
const kept = join(folder, "kept");
// Every user to whom RabbitMQ's definitions give rights, which infra/users.yaml lists.
const { permissions } = JSON.parse(
  readFileSync(new URL("broker-definitions.json", import.meta.url), "utf8"),
);
const known = [
  "OPERATOR_TOKEN",
  "POSTGRES_PASSWORD",
  "OWNER_PASSWORD",
  "SUBMISSION_PASSWORD",
  "OPERATIONS_PASSWORD",
  "SCHEDULER_PASSWORD",
  "SUPERVISOR_PASSWORD",
  "OBSERVER_PASSWORD",
  "APPLICATION_PASSWORD",
  "AGENT_PASSWORD",
  "RABBITMQ_ADMIN_PASSWORD",
  // Of two people, who decide what waits for people.
  "ADA_KEY",
  "GRACE_KEY",
];
// What an application may write to, and what it may have open: as `holdfast topology` makes its
// user.
const applications = "^(holdfast\\.submissions|holdfast\\.signals)$";
const applicationLimits = { "max-connections": 100, "max-channels": 1000 };
const names = [...new Set([...known, ...permissions.map(({ user }) => passwordOf(user))])];

/**
 * The copies of those that cannot be made anew, since somewhere else they are known already.
 * @type {Record<string, string>}
 */
const copies = {
  OPERATOR_TOKEN: join(folder, "operations", "OPERATOR_TOKEN"),
  POSTGRES_PASSWORD: join(folder, "postgres", "password"),
};
const secrets = Object.fromEntries(names.map((name) => [name, secretOf(name)]));

if (process.argv.length > 2) print(process.argv.slice(2));
else {
  mustBeOfThisClone();
  writeAll();
}

/** @param {string} name */
function secretOf(name) {
  const given = process.env[name] ?? "";
  if (given !== "") return given;
  const made = [join(kept, name), copies[name] ?? ""].find((file) => existsSync(file));
  if (made !== undefined) return readFileSync(made, "utf8");
  // As `holdfast keys make` makes it.
  return name.endsWith("_KEY")
    ? `hfk_${randomBytes(32).toString("base64url")}`
    : randomBytes(24).toString("hex");
}

/**
 * Refuses another clone in a folder of the same name: each would recreate the other's containers on
 * the other's data. The table of mounts says which folder this one is.
 */
function mustBeOfThisClone() {
  const here = folderOfClone();
  if (here === null) return;
  const file = join(kept, "CLONE");
  const first = existsSync(file) ? readFileSync(file, "utf8") : here;
  if (first !== here && process.env["CLONE"] !== "moved") {
    const project = process.env["COMPOSE_PROJECT"] ?? "holdfast";
    fail(
      `The Compose project ${project} belongs to the clone in ${first}, and this one is in ${here}: write COMPOSE_PROJECT_NAME=another-name into .env for a project of its own, or run "CLONE=moved docker compose up" if the folder was moved`,
    );
  }
  mkdirSync(kept, { recursive: true });
  writeFileSync(file, here);
}

/** The folder from which docker-compose.yml is mounted; null where that cannot be known. */
function folderOfClone() {
  const table = process.env["MOUNTS"] ?? "/proc/self/mountinfo";
  const lines = existsSync(table) ? readFileSync(table, "utf8").split("\n") : [];
  const fields = lines.map((line) => line.split(" "));
  const source = fields.find(([, , , , target]) => target === "/clone/docker-compose.yml")?.[3];
  return source === undefined ? null : dirname(source.replaceAll("\\040", " "));
}

/** @param {string[]} wanted */
function print(wanted) {
  for (const name of wanted) {
    if (!Object.hasOwn(secrets, name)) fail(`${name} is no secret; these are: ${names.join(", ")}`);
    process.stdout.write(`${secrets[name]}\n`);
  }
}

function writeAll() {
  const unfit = names.filter((name) => !/^[\w-]{8,200}$/.test(secrets[name] ?? ""));
  if (unfit.length > 0) {
    fail(
      `${unfit.join(", ")}: use 8 to 200 letters, digits, "-" and "_", since they stand in URLs`,
    );
  }
  write("kept", secrets);
  write("postgres", { password: secrets.POSTGRES_PASSWORD });
  const logins = names.filter((name) =>
    /^(OWNER|SUBMISSION|OPERATIONS|SCHEDULER|SUPERVISOR|OBSERVER)_/.test(name),
  );
  const lines = logins.map((name) => `${name}=${secrets[name]}\n`);
  write("logins", { env: [`PGPASSWORD=${secrets.POSTGRES_PASSWORD}\n`, ...lines].join("") });
  write("migrate", { STATE_STORE_URL: storeUrl("holdfast", secrets.OWNER_PASSWORD) });
  for (const service of ["submission", "operations", "scheduler", "supervisor", "observer"]) {
    const password = secrets[`${service.toUpperCase()}_PASSWORD`];
    write(service, {
      STATE_STORE_URL: storeUrl(service, password),
      BROKER_URL: brokerUrl(service, password),
    });
  }
  // The same file for both: each must know the people that the other knows.
  for (const service of ["submission", "operations"]) write(service, { "people.json": people() });
  const managementUrl = httpUrl("observer", secrets.OBSERVER_PASSWORD);
  // The console shows the queues: the observer may look at them, and do nothing there.
  write("operations", {
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    BROKER_MANAGEMENT_URL: managementUrl,
  });
  write("observer", { BROKER_MANAGEMENT_URL: managementUrl });
  write("administrator", {
    BROKER_MANAGEMENT_URL: httpUrl("administrator", secrets.RABBITMQ_ADMIN_PASSWORD),
  });
  write("agent", { BROKER_URL: brokerUrl("agent", secrets.AGENT_PASSWORD) });
  write("rabbitmq", { "10-users.json": JSON.stringify({ users: brokerUsers() }) });
}

/** The file of ACCESS_FILE: it has the digests of the keys alone. */
function people() {
  const names = { ada: "Ada Lovelace", grace: "Grace Hopper" };
  const principals = Object.entries(names).map(([id, name]) => {
    const key = secrets[`${id.toUpperCase()}_KEY`] ?? "";
    const digest = createHash("sha256").update(key).digest("hex");
    return { id, name, keys: [`sha256:${digest}`], approves: ["*"] };
  });
  return JSON.stringify({ principals }, null, 2);
}

/**
 * What each of them may do stands in broker-definitions.json. Who may do nothing there only looks,
 * by the HTTP API.
 */
function brokerUsers() {
  return [
    ...permissions.map(({ user, ...rights }) => ({
      name: user,
      password: secrets[passwordOf(user)],
      tags: [rights.configure, rights.read, rights.write].every((right) => right === "^$")
        ? ["monitoring"]
        : [],
      ...(rights.write === applications ? { limits: applicationLimits } : {}),
    })),
    { name: "administrator", password: secrets.RABBITMQ_ADMIN_PASSWORD, tags: ["administrator"] },
  ];
}

/** @param {string} user */
function passwordOf(user) {
  return `${user.toUpperCase().replaceAll(/\W/g, "_")}_PASSWORD`;
}

/** @param {string} user @param {string | undefined} password */
function storeUrl(user, password) {
  return `postgres://${user}:${password}@postgres:5432/holdfast`;
}

/** @param {string} user @param {string | undefined} password */
function brokerUrl(user, password) {
  return `amqp://${user}:${password}@rabbitmq:5672/holdfast`;
}

/** @param {string} user @param {string | undefined} password */
function httpUrl(user, password) {
  return `http://${user}:${password}@rabbitmq:15672`;
}

/**
 * Readable by every user who has the volume, which only its service has: each image has a user of
 * its own.
 * @param {string} reader @param {Record<string, string | undefined>} files
 */
function write(reader, files) {
  const own = join(folder, reader);
  mkdirSync(own, { recursive: true });
  for (const [name, text = ""] of Object.entries(files)) {
    writeFileSync(join(own, name), text, { mode: 0o644 });
  }
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(78);
}
