import { writeFileSync } from "node:fs";
import { brokerDefinitions } from "./broker-definitions.ts";
import { pathOf } from "./repository.ts";

for (const [name, definitions] of Object.entries(brokerDefinitions)) {
  writeFileSync(pathOf(name), `${JSON.stringify(definitions, null, 2)}\n`);
}
