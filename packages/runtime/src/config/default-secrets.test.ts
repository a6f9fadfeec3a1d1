import { expect, test } from "@jest/globals";
import { defaultSecrets } from "./default-secrets.ts";

const store = (url: string) => ({ STATE_STORE_URL: url });

test.each([
  ["a token on all addresses", { HTTP_HOST: "0.0.0.0", OPERATOR_TOKEN: "development" }],
  ["a token on one address", { HTTP_HOST: "10.1.2.3", OPERATOR_TOKEN: "Local-Operator" }],
  ["a token on all IPv6 addresses", { HTTP_HOST: "::", OPERATOR_TOKEN: "password" }],
  ["a password of a server elsewhere", store("postgres://scheduler:development@postgres/holdfast")],
  ["a password that is written in another way", store("postgres://a:dev%65lopment@10.0.0.1/x")],
  ["what RabbitMQ comes with", { BROKER_URL: "amqps://guest:guest@broker.example.com/x" }],
])("refuses %s", (_, config) => {
  expect(defaultSecrets(config)).toHaveLength(1);
});

test.each([
  ["a token on this machine", { HTTP_HOST: "127.0.0.1", OPERATOR_TOKEN: "development" }],
  ["a server on this machine", store("postgres://postgres:postgres@localhost:5432/x")],
  ["a server on this machine by IPv6", store("postgres://postgres:postgres@[::1]:5432/x")],
  ["a password that was made", store("postgres://a:9f2c4e0b@postgres/holdfast")],
  ["no password", store("postgres://a@postgres/holdfast")],
  ["a token that was made", { HTTP_HOST: "0.0.0.0", OPERATOR_TOKEN: "9f2c4e0b9f2c" }],
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
