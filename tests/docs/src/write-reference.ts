import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { load } from "./reference/load.ts";
import { generate, generatedFiles, generatedPages, schemaFolder } from "./reference/pages.ts";
import { pathOf } from "./repository.ts";

function write(file: string, text: string): void {
  writeFileSync(pathOf(file), text);
  process.stdout.write(`${file}\n`);
}

// The command is made from this document, and some pages from the command.
const document = "docs/reference/openapi.json";
write(document, await generate(document));
const { writeClients } = await load("tools/clients/src/write-clients.ts");
await (writeClients as () => Promise<void>)();

for (const page of generatedPages.filter((name) => name !== document)) {
  write(page, await generate(page));
}

const files = await generatedFiles();
rmSync(pathOf(schemaFolder), { recursive: true, force: true });
mkdirSync(pathOf(schemaFolder));
for (const [file, text] of files) write(file, text);
