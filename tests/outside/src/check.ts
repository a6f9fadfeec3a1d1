import { join } from "node:path";
import { checkTarball } from "./check-tarball.ts";
import { packAll } from "./pack-all.ts";
import { root } from "./public-packages.ts";

console.time("pack");
const tarballs = await packAll(join(root, ".holdfast/outside/tarballs"));
console.timeEnd("pack");
console.time("check");
for (const one of tarballs) console.log(one.file, await checkTarball(one));
console.timeEnd("check");
