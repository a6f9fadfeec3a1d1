import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { generate, generatedFiles, generatedPages, schemaFolder } from "./reference/pages.ts";
import { pathOf } from "./repository.ts";

for (const page of generatedPages) {
  writeFileSync(pathOf(page), await generate(page));
  process.stdout.write(`${page}\n`);
}

const files = await generatedFiles();
rmSync(pathOf(schemaFolder), { recursive: true, force: true });
mkdirSync(pathOf(schemaFolder));
for (const [file, text] of files) {
  writeFileSync(pathOf(file), text);
  process.stdout.write(`${file}\n`);
}
