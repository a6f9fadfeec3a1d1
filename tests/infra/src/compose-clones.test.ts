import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { composeFile } from "./compose-file.ts";
import { pathOf, readFile } from "./repository.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-clones-"));
  // As the image has them.
  copyFileSync(pathOf("infra/docker/make-secrets.mjs"), join(folder, "make-secrets.mjs"));
  copyFileSync(pathOf("infra/rabbitmq/definitions.json"), join(folder, "broker-definitions.json"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts `secrets` from the clone in this folder. */
function makeSecrets(clone: string, env: Readonly<Record<string, string>> = {}) {
  const mounts = join(folder, "mounts");
  const [device, root] = ["8:1", clone.replaceAll(" ", "\\040")];
  writeFileSync(
    mounts,
    [
      `22 1 ${device} / / rw - ext4 /dev/sda1 rw`,
      `23 22 ${device} ${root}/docker-compose.yml /clone/docker-compose.yml ro - ext4 /dev/sda1 rw`,
      "",
    ].join("\n"),
  );
  return spawnSync(process.execPath, [join(folder, "make-secrets.mjs")], {
    encoding: "utf8",
    env: { SECRETS_FOLDER: join(folder, "secrets"), MOUNTS: mounts, ...env },
  });
}

const secretIn = (file: string): string => readFileSync(join(folder, "secrets", file), "utf8");

test("the project has no name of its own, so that a clone in another folder is another project", () => {
  expect(composeFile()).not.toHaveProperty("name");
  for (const [name, service] of Object.entries(composeFile().services)) {
    expect([name, "container_name" in service]).toEqual([name, false]);
  }
});

test("`secrets` knows the folder of its clone by a mount, and runs before anything else", () => {
  const { secrets, ...others } = composeFile().services;
  expect(secrets?.volumes).toContain("./docker-compose.yml:/clone/docker-compose.yml:ro");
  const waiting = Object.entries(others).filter(([, one]) => "postgres" in (one.depends_on ?? {}));
  expect(waiting.length).toBeGreaterThan(0);
  for (const name of ["postgres", "rabbitmq"]) {
    expect(others[name]?.depends_on).toMatchObject({
      secrets: { condition: "service_completed_successfully" },
    });
  }
});

test("a second clone in a folder of the same name is refused, and learns whose project it would join", () => {
  expect(makeSecrets("/home/ann/holdfast").status).toBe(0);
  const before = secretIn("postgres/password");
  const { status, stderr } = makeSecrets("/home/ben/holdfast", { COMPOSE_PROJECT: "holdfast" });
  expect(status).toBe(78);
  expect(stderr).toBe(
    'The Compose project holdfast belongs to the clone in /home/ann/holdfast, and this one is in /home/ben/holdfast: write COMPOSE_PROJECT_NAME=another-name into .env for a project of its own, or run "CLONE=moved docker compose up" if the folder was moved\n',
  );
  expect(secretIn("postgres/password")).toBe(before);
  expect(makeSecrets("/home/ann/holdfast").status).toBe(0);
});

test("a clone that was moved goes on with its data once that is said, and needs no word from then on", () => {
  makeSecrets("/home/ann/my clone");
  expect(makeSecrets("/srv/holdfast").status).toBe(78);
  expect(makeSecrets("/srv/holdfast", { CLONE: "moved" }).status).toBe(0);
  expect(makeSecrets("/srv/holdfast").status).toBe(0);
  expect(makeSecrets("/home/ann/my clone").stderr).toContain("/home/ann/my clone");
});

test("where the volume of all secrets was lost, those that others know are read from their readers", () => {
  makeSecrets("/srv/a");
  const before = ["postgres/password", "operations/OPERATOR_TOKEN"].map(secretIn);
  rmSync(join(folder, "secrets/kept"), { recursive: true });
  expect(makeSecrets("/srv/a").status).toBe(0);
  expect(["postgres/password", "operations/OPERATOR_TOKEN"].map(secretIn)).toEqual(before);
  expect(secretIn("logins/env")).toContain(`PGPASSWORD=${before[0]}\n`);
});

/**
 * Runs a script of Compose's containers, with a program of this name that says and returns this.
 */
function runScript(script: string, { program, says, status }: Fake) {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, program),
    `#!/bin/sh\ncat > "${folder}/asked"\necho "$*" > "${folder}/args"\necho '${says}' >&2\nexit ${status}\n`,
  );
  chmodSync(join(bin, program), 0o755);
  const text = readFile(script).replaceAll("/run/holdfast", folder);
  writeFileSync(join(folder, "script.sh"), text);
  writeFileSync(join(folder, "env"), "PGPASSWORD=new-password\n");
  writeFileSync(join(folder, "password"), "new-password");
  return spawnSync("sh", [join(folder, "script.sh")], {
    encoding: "utf8",
    input: "",
    env: { PATH: `${bin}:/usr/bin:/bin` },
  });
}

interface Fake {
  readonly program: string;
  readonly says: string;
  readonly status: number;
}

const refused = 'FATAL:  password authentication failed for user "postgres"';

test("where Postgres keeps another password than the secrets, `logins` ends with one sentence that says what to do", () => {
  const { status, stderr } = runScript("infra/docker/make-logins.sh", {
    program: "psql",
    says: refused,
    status: 2,
  });
  expect(status).toBe(78);
  expect(stderr.trim().split("\n")).toEqual([
    refused,
    'Postgres keeps a password that is not the POSTGRES_PASSWORD of the secrets, which were set anew or lost: give it that one with "docker compose exec postgres sh /take-password.sh", and start again with "docker compose up".',
  ]);
});

test.each([
  ["could not translate host name", 2],
  ["ERROR:  permission denied", 3],
])(
  "another failure of `logins`, such as %s, keeps its own words and its exit code",
  (says, code) => {
    const { status, stderr } = runScript("infra/docker/make-logins.sh", {
      program: "psql",
      says,
      status: code,
    });
    expect([status, stderr]).toEqual([code, `${says}\n`]);
  },
);

test("the command of that sentence gives Postgres the password of the secrets, and it is mounted there", () => {
  const { status } = runScript("infra/docker/take-password.sh", {
    program: "psql",
    says: "",
    status: 0,
  });
  expect(status).toBe(0);
  expect(readFileSync(join(folder, "asked"), "utf8")).toBe(
    "alter user postgres password :'password';\n",
  );
  expect(readFileSync(join(folder, "args"), "utf8")).toContain("--set=password=new-password");
  const { postgres, logins } = composeFile().services;
  expect(postgres?.volumes).toContain("./infra/docker/take-password.sh:/take-password.sh:ro");
  expect(logins?.volumes).toContain("./infra/docker/make-logins.sh:/make-logins.sh:ro");
  expect(logins?.command).toEqual(["sh", "/make-logins.sh"]);
});

test("the scripts are what the shell of the images reads", () => {
  for (const script of ["make-logins.sh", "take-password.sh"]) {
    execFileSync("sh", ["-n", pathOf(`infra/docker/${script}`)]);
  }
});
