import { writeFileSync } from "node:fs";
import { generate, generatedPages } from "./reference/pages.ts";
import { pathOf } from "./repository.ts";

for (const page of generatedPages) {
  writeFileSync(pathOf(page), await generate(page));
  process.stdout.write(`${page}\n`);
}
