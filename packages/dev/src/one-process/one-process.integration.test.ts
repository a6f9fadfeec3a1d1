import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const module = new URL("./one-process.ts", import.meta.url).href;

/** Runs two services in one process, of which one does this once both are ready. */
function run(act: string): Promise<{ readonly code: unknown; readonly said: string }> {
  const program = `
    import { openOneProcess } from ${JSON.stringify(module)};
    import { BaseConfig, defineService } from "@holdfast/runtime";
    const schema = { type: "object", properties: BaseConfig.properties };
    const services = openOneProcess({
      onCrash(name, error) {
        process.stdout.write(\`\${name} crashed: \${error.message}\`);
        process.exit(3);
      },
    });
    const begin = Promise.withResolvers();
    const calm = defineService("calm", schema, async ({ ready, stopped }) => { ready(); await stopped; });
    const wild = defineService("wild", schema, async ({ ready, stopped }) => {
      ready();
      await begin.promise;
      ${act}
      await stopped;
    });
    const options = { env: {}, onLine() {} };
    const both = [services.start(calm, options), services.start(wild, options)];
    await Promise.all(both.map(({ ready }) => ready));
    setTimeout(begin.resolve, 10);
    setInterval(() => {}, 1_000);`;
  const flags = ["--conditions=@holdfast/source", "--input-type=module", "--no-warnings"];
  // Bare imports are those of this package.
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; said: string }>();
  execFile(process.execPath, [...flags, "--eval", program], { cwd }, (error, said) =>
    resolve({ code: error?.code ?? 0, said }),
  );
  return promise;
}

test.each([
  ["throws", `throw new Error("boom");`],
  ["leaves a rejection unhandled", `void Promise.reject(new Error("boom"));`],
  ["throws in a timer", `setTimeout(() => { throw new Error("boom"); }, 1);`],
])("a service that %s ends the process that it shares, by its name", async (_, act) => {
  expect(await run(act)).toEqual({ code: 3, said: "wild crashed: boom" });
});
