import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { shippedSettings } from "./shipped-settings.ts";

test("a local RabbitMQ has the settings that infra/rabbitmq ships", () => {
  const file = new URL("../../../../infra/rabbitmq/rabbitmq.conf", import.meta.url);
  const lines = readFileSync(file, "utf8").split("\n");
  const settings = lines.filter((line) => line !== "" && !/^(#|definitions\.)/.test(line));
  expect(shippedSettings).toEqual(settings);
});
