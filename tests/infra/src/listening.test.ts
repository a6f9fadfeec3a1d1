import { globSync } from "node:fs";
import { parseConfig } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { pathOf, readFile } from "./repository.ts";
import { configOf } from "./service-config.ts";

const services = globSync("{services,examples/orders}/*/src/{,server/}config.ts", {
  cwd: pathOf("."),
}).filter((file) => !file.includes("/handlers/"));

/** What a service cannot do without. */
const needed = {
  STATE_STORE_URL: "postgres://login:9f2c4e0b@host/holdfast",
  BROKER_URL: "amqp://user:9f2c4e0b@host/holdfast",
  AGENT_MODULES: "./agents.js",
  API_URL: "http://operations",
};

test.each(services)(
  "%s listens on IPv4 and on IPv6, unless a setting says otherwise",
  async (file) => {
    const schema = await configOf(file.replace(/src\/(server\/)?config\.ts$/, "dist/main.js"));
    const config = parseConfig(schema, needed) as Readonly<Record<string, unknown>>;
    const hosts = Object.keys(config).filter((name) => /^(HTTP|HEALTH)_HOST$/.test(name));
    expect(hosts).toContain("HEALTH_HOST");
    for (const name of hosts) expect([name, config[name]]).toEqual([name, "::"]);
  },
);

test("no server of the deployments listens on IPv4 alone", () => {
  const files = globSync(
    "{docker-compose.yml,infra/{docker,helm,kubernetes,observability}/**/*.{yaml,yml,sh,tpl,mjs}}",
    { cwd: pathOf(".") },
  );
  expect(files.length).toBeGreaterThan(30);
  const listening = /(?:listen|host|endpoint|address)\S*[:=]\s*"?0\.0\.0\.0/i;
  expect(files.filter((file) => listening.test(readFile(file)))).toEqual([]);
});
