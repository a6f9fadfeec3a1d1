import { expect, test } from "@jest/globals";
import { containerOf } from "./docker-container.ts";

test("the ports of a container are open to this machine alone", () => {
  const ports = [
    { container: 5672, host: 20_001 },
    { container: 15_672, host: 20_002 },
  ];
  const container = containerOf({ image: "rabbitmq:4-management", environment: {}, ports });
  expect(Reflect.get(container, "hostConfig")).toMatchObject({
    PortBindings: {
      "5672/tcp": [{ HostIp: "127.0.0.1", HostPort: "20001" }],
      "15672/tcp": [{ HostIp: "127.0.0.1", HostPort: "20002" }],
    },
  });
});
