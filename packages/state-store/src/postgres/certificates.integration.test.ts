import { chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openQueries, type Queries, startPostgres } from "@holdfast/local-stack";
import { type Authority, makeAuthority } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate } from "../migrate/migrate.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../roles.ts";

const resources = new AsyncDisposableStack();
let folder: string;
let server: URL;
let authority: Authority;
let admin: Queries;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-certificates-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  authority = await makeAuthority(folder);
  const { cert, key } = await authority.issue("server", "/CN=127.0.0.1");
  for (const login of ["owner", "shop", "stranger"]) await authority.issue(login, `/CN=${login}`);
  await authority.issue("shop-renewed", "/CN=shop");
  const dataFolder = join(folder, "data");
  await mkdir(dataFolder);
  const { url } = resources.use(await startPostgres({ dataFolder }));
  server = new URL(url);
  admin = resources.use(await openQueries(url));
  await admin.query("create role owner superuser login");
  await admin.query("create role shop login");
  await takeCertificatesOnly({ cert, key });
});
afterAll(() => resources.disposeAsync());

/**
 * Lets the server take no login but by a certificate of its name, but for the administrator of this
 * test.
 */
async function takeCertificatesOnly(files: { readonly cert: string; readonly key: string }) {
  const [row] = await admin.query<{ place: string }>(
    "select current_setting('data_directory') as place",
  );
  const place = row?.place ?? "";
  const owner = await stat(place);
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(join(place, name), text, { mode: 0o600 });
    await chown(join(place, name), owner.uid, owner.gid);
  };
  await put("server.crt", await readFile(files.cert, "utf8"));
  await put("server.key", await readFile(files.key, "utf8"));
  await put("root.crt", await readFile(authority.ca, "utf8"));
  await put(
    "pg_hba.conf",
    [
      "host all postgres 127.0.0.1/32 scram-sha-256",
      "hostssl all all 127.0.0.1/32 cert clientcert=verify-full",
      "",
    ].join("\n"),
  );
  await admin.query("alter system set ssl_ca_file = 'root.crt'");
  await admin.query("alter system set ssl = on");
  await admin.query("select pg_reload_conf()");
}

/** A URL without a password. */
const urlFor = (login: string, certificate: string | null = login): string => {
  const file = (name: string) => encodeURIComponent(join(folder, name));
  const own =
    certificate === null
      ? ""
      : `&sslcert=${file(`${certificate}.pem`)}&sslkey=${file(`${certificate}.key`)}`;
  return `postgres://${login}@${server.host}/postgres?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority.ca)}${own}`;
};

const open = (url: string): Promise<StateStore> =>
  openStateStore({ url, applicationName: "test", maxConnections: 2 });

const settled = [() => true, () => false] as const;

/** The clients whose certificates the server has seen, by their login. */
const clients = () =>
  admin.query<{ usename: string; subject: string; serial: string }>(
    `select distinct usename, client_dn as subject, client_serial::text as serial
       from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'shop'`,
  );

test("the store is migrated and used by logins that have a certificate and no password", async () => {
  await migrate(urlFor("owner"));
  await admin.query("grant holdfast_submission to shop");
  await using store = await open(urlFor("shop"));
  await store.ping();
  expect(await clients()).toEqual([
    { usename: "shop", subject: "/CN=shop", serial: expect.any(String) },
  ]);
});

test("a certificate that is replaced is used for the next connection", async () => {
  const put = async (name: string) => {
    for (const ending of ["pem", "key"])
      await cp(join(folder, `${name}.${ending}`), join(folder, `now.${ending}`));
  };
  await put("shop");
  await using store = await open(urlFor("shop", "now"));
  const [first] = await clients();
  await put("shop-renewed");
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'shop'",
  );
  const answers = () => store.ping().then(...settled);
  while (!(await answers()));
  const [second] = await clients();
  expect(second?.serial).toEqual(expect.any(String));
  expect(second?.serial).not.toBe(first?.serial);
});

test.each([
  ["without a certificate", null],
  ["with the certificate of another login", "stranger"],
])("a login %s is refused in Postgres' own words", async (_, certificate) => {
  await expect(open(urlFor("shop", certificate))).rejects.toMatchObject({
    code: "store.unavailable",
    message: expect.stringMatching(/certificate/),
  });
});
