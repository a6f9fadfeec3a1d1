import { Parser } from "@asyncapi/parser";
import { describe, expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { filesIn, productFiles, readFile } from "./repository.ts";

const text = readFile("docs/reference/asyncapi.json");
/** The number of the severity `error` in the specification. */
const error = 0;

async function errorsOf(document: string): Promise<readonly string[]> {
  const { diagnostics } = await new Parser().parse(document);
  return diagnostics
    .filter(({ severity }: { readonly severity: number }) => severity === error)
    .map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("asyncapi.json", () => {
  test("the parser of AsyncAPI finds no error in it", async () => {
    expect(await errorsOf(text)).toEqual([]);
  });

  test("the parser finds an error once a message of a channel is missing", async () => {
    const document = JSON.parse(text) as { components: { messages: Record<string, unknown> } };
    delete document.components.messages["step.request.v1"];
    expect(await errorsOf(JSON.stringify(document))).not.toEqual([]);
  });

  test("an Agent performs steps, replies, beats and stops, over channels of the topology", async () => {
    const { document } = await new Parser().parse(text);
    const operations = document?.operations().all() ?? [];
    const uses = operations.map((one) => [
      one.id(),
      one.action(),
      ...one
        .channels()
        .all()
        .map((channel) => channel.address()),
    ]);
    expect(uses).toEqual(
      expect.arrayContaining([
        ["performStep", "receive", "agent.{agent}"],
        ["reply", "send", "{word}.{agent}.{taskId}"],
        ["beat", "send", "heartbeat.{agent}"],
        ["stop", "receive", ""],
      ]),
    );
  });
});

test.each(filesIn("docs/reference/schemas"))(
  "%s is a JSON Schema that refuses what is no message",
  (file) => {
    const check = new Ajv({ strict: true, allowUnionTypes: true }).compile(
      JSON.parse(readFile(file)) as object,
    );
    expect(check({})).toBe(false);
  },
);

test("every kind of alert that a statement raises is one of task.alert.v1", () => {
  const { properties } = JSON.parse(readFile("docs/reference/schemas/task.alert.v1.json")) as {
    readonly properties: { readonly kind: { readonly enum: readonly string[] } };
  };
  const statements = productFiles.filter((file) => file.endsWith(".sql")).map(readFile);
  const raised = statements.flatMap((sql) =>
    [...sql.matchAll(/raise_alert\(\s*'([^']+)'/g)].map(([, kind = ""]) => kind),
  );
  expect(raised.length).toBeGreaterThan(2);
  // A statement that raises several kinds says how they begin.
  const isKnown = (kind: string) =>
    properties.kind.enum.some((one) => (kind.endsWith(".") ? one.startsWith(kind) : one === kind));
  expect(raised.filter((kind) => !isKnown(kind))).toEqual([]);
});
