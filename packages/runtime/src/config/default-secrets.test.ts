import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { defaultSecrets } from "./default-secrets.ts";

const store = (url: string) => ({ STATE_STORE_URL: url });

test.each([
  ["a token on all addresses", { HTTP_HOST: "0.0.0.0", OPERATOR_TOKEN: "development" }],
  ["a token on one address", { HTTP_HOST: "10.1.2.3", OPERATOR_TOKEN: "Local-Operator" }],
  ["a token on all IPv6 addresses", { HTTP_HOST: "::", OPERATOR_TOKEN: "password" }],
  ["a password of a server elsewhere", store("postgres://scheduler:development@postgres/holdfast")],
  ["a password that is written in another way", store("postgres://a:dev%65lopment@10.0.0.1/x")],
  ["what RabbitMQ comes with", { BROKER_URL: "amqps://guest:guest@broker.example.com/x" }],
  ["what its client shows without a user", { BROKER_URL: "amqp://broker.example.com/x" }],
  ["of several brokers", { BROKER_URL: "amqp://guest:guest@r1.example:5672,r2.example:5672/x" }],
  ["of RabbitMQ's HTTP API", { BROKER_MANAGEMENT_URL: "http://guest:guest@r1.example:15672" }],
  ["of several servers", store("postgres://a:postgres@db1.example:5432,db2.example:5432/x")],
  ["of one of several servers", store("postgres://a:postgres@127.0.0.1:5432,db2.example/x")],
  ["in a parameter", store("postgres://a@db1.example/x?password=postgres")],
  ["in a parameter beside others", store("postgres://db/x?sslmode=require&user=a&password=Secret")],
  [
    "in a parameter that is written in another way",
    store("postgres://db/x?user=a&p%61ssword=t%65st"),
  ],
  ["in a parameter that goes before", store("postgres://a:9f2c4e0b@db/x?password=admin")],
  ["of a host in a parameter", store("postgres://a:postgres@127.0.0.1/x?host=db1.example")],
  ["of a host in capitals", store("postgresql://a:postgres@DB1.EXAMPLE/x")],
  [
    "with files that are not there",
    store("postgres://a:admin@db/x?sslrootcert=/none&sslkey=/none"),
  ],
  ["an address like ours", store("postgres://a:postgres@128.0.0.1/x")],
  ["a name like ours", store("postgres://a:postgres@localhost.example/x")],
  ["a token of one letter", { HTTP_HOST: "0.0.0.0", OPERATOR_TOKEN: "a".repeat(1_000) }],
  ["a token that repeats itself", { HTTP_HOST: "::", OPERATOR_TOKEN: "9f2c4e0b".repeat(8) }],
  [
    "a token that counts",
    { HTTP_HOST: "::", OPERATOR_TOKEN: "abcdefghijklmnopqrstuvwxyz0123456789" },
  ],
  [
    "a token of two letters",
    { HTTP_HOST: "::", OPERATOR_TOKEN: "abbaabababbabaababbabaabbaababba" },
  ],
  ["a short token", { HTTP_HOST: "::", OPERATOR_TOKEN: "x7Qm2-Zr9kPw" }],
])("refuses %s", (_, config) => {
  expect(defaultSecrets(config)).toHaveLength(1);
});

test.each([
  ["a token on this machine", { HTTP_HOST: "127.0.0.1", OPERATOR_TOKEN: "development" }],
  ["a server on this machine", store("postgres://postgres:postgres@localhost:5432/x")],
  ["a server on this machine by IPv6", store("postgres://postgres:postgres@[::1]:5432/x")],
  ["a server on this machine, in full", store("postgres://a:postgres@[0:0:0:0:0:0:0:1]/x")],
  ["a server on this machine, mapped", store("postgres://a:postgres@[::ffff:127.0.0.1]/x")],
  ["a server on this machine in capitals", store("postgres://a:postgres@LOCALHOST/x")],
  [
    "a Unix socket in a parameter",
    store("postgres:///x?host=/run/postgresql&user=a&password=postgres"),
  ],
  ["a Unix socket as a host", store("postgres://a:postgres@%2Frun%2Fpostgresql/x")],
  ["brokers on this machine", { BROKER_URL: "amqp://guest:guest@127.0.0.1:1,[::1]:2,localhost:3" }],
  ["a URL that no driver reads", store("postgres://a:%zz@db/x")],
  ["a text that is no URL", { X_URL: "no url" }],
  ["a password that was made", store("postgres://a:9f2c4e0b@postgres/holdfast")],
  ["no password", store("postgres://a@postgres/holdfast")],
  ["a token that was made", { HTTP_HOST: "0.0.0.0", OPERATOR_TOKEN: "q0dX3-vYt7LbAk2s9RzWfg" }],
  ["no token", { HTTP_HOST: "0.0.0.0" }],
])("accepts %s", (_, config) => {
  expect(defaultSecrets(config)).toEqual([]);
});

test("the error about a default secret names the setting and not the secret", () => {
  const [said] = defaultSecrets(store("postgres://scheduler:changeme@postgres/holdfast"));
  expect(said).toBe(
    "STATE_STORE_URL has a published default password, and postgres is not this machine: set another password there and here",
  );
});

test("the error about a weak token says how to make another one", () => {
  const [said] = defaultSecrets({ HTTP_HOST: "0.0.0.0", OPERATOR_TOKEN: "aaaaaaaaaaaaaaaa" });
  expect(said).toBe(
    "OPERATOR_TOKEN is easy to guess, and HTTP_HOST 0.0.0.0 can be reached from other machines: set OPERATOR_TOKEN to what openssl rand -base64 32 prints, or HTTP_HOST=127.0.0.1",
  );
});

test("no token of 128 random bits is taken for a weak one, however it is written", () => {
  const random = (index: number) =>
    createHash("sha256").update(`${index}`).digest().subarray(0, 16);
  const tokens = Array.from({ length: 5_000 }, (_, index) => random(index)).flatMap((bytes) => [
    bytes.toString("hex"),
    bytes.toString("base64url"),
  ]);
  const refused = (token: string) =>
    defaultSecrets({ HTTP_HOST: "::", OPERATOR_TOKEN: token }).length > 0;
  expect(tokens.filter(refused)).toEqual([]);
});

test("no URL with a published password is accepted, whatever the form of the URL", () => {
  const hosts = fc.constantFrom("db", "db1.example:5432", "a,b", "10.0.0.1:1,[fe80::1]:2", "DB");
  const passwords = fc.constantFrom("postgres", "Password", "p%6fstgres", "guest", "%61dmin");
  const more = fc.constantFrom("", "sslmode=verify-full", "application_name=a%20b", "pooler=x");
  const forms: readonly ((host: string, password: string) => string)[] = [
    (host, password) => `postgres://u:${password}@${host}/x?`,
    (host, password) => `postgresql://u@${host}/x?password=${password}&`,
    (host, password) => `postgres://${host}/x?user=u&password=${password}&`,
    (host, password) => `postgres://u:made-by-hand@${host}/x?password=${password}&`,
    (host, password) => `postgres://u:${password}@${host}?`,
    (host, password) => `postgres:///x?user=u&host=${host}&password=${password}&`,
  ];
  fc.assert(
    fc.property(hosts, passwords, more, fc.constantFrom(...forms), (host, password, end, form) => {
      const url = `${form(host, password)}${end}`;
      expect([url, defaultSecrets(store(url)).length]).toEqual([url, 1]);
    }),
  );
});
