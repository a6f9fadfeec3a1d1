import type { Json, ReportedTaskEvent, StepDefinition, WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { type ContractGap, contractGaps, gapText, isBreaking } from "./contract-gaps.ts";
import { givenBackOften, isGivenBack } from "./given-back.ts";
import { contractHash, contractHashes, contractsOf } from "./operation-contract.ts";
import {
  type AnnouncingInstance,
  announcedContract,
  type KnownContract,
  readingOf,
} from "./readers.ts";

type Fields = { readonly [name: string]: Json };

const text = { type: "string" };
const object = (properties: Fields, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

const transfer = { input: object({ iban: text }), output: object({ id: text }) };

describe("the hash of a contract", () => {
  test("is the same for schemas that mean the same, and tells others apart", () => {
    const hash = contractHash(transfer);
    const printedOtherwise = {
      input: { title: "Transfer", required: ["iban"], properties: { iban: text }, type: "object" },
      output: { $schema: "http://json-schema.org/draft-07/schema#", ...transfer.output },
    };
    expect(hash).toMatch(/^[0-9a-f]{12}$/);
    expect(contractHash(printedOtherwise)).toBe(hash);
    expect(contractHash({ ...transfer, input: object({ iban: text }, []) })).not.toBe(hash);
    expect(contractHash({ input: transfer.output, output: transfer.input })).not.toBe(hash);
  });

  test("is null where neither schema is known", () => {
    expect(contractHash({ input: null, output: null })).toBeNull();
    expect(contractHash({ input: null, output: text })).not.toBeNull();
  });
});

describe("gaps between what a workflow was made with and what an Agent has", () => {
  const gaps = (
    needed: Partial<typeof transfer>,
    offered: Fields,
    more: { readonly given?: readonly Json[]; readonly isLater?: boolean } = {},
  ): readonly ContractGap[] =>
    contractGaps({
      needed: { ...transfer, ...needed },
      offered: { ...transfer, ...offered },
      ...more,
    });
  const both = object({ iban: text, reference: text });
  const optional = object({ iban: text, reference: text }, ["iban"]);
  const of = "input" as const;

  test("are a field that the Agent newly requires, at any depth", () => {
    const requires = [{ kind: "requires", of, pointer: "/reference" }] as const;
    expect(gaps({}, { input: both })).toEqual(requires);
    expect(requires.every(isBreaking)).toBe(true);
    const deep = gaps(
      { input: object({ to: object({ iban: text }), all: { type: "array", items: text } }) },
      { input: object({ to: both, all: { type: "array", items: { type: "number" } } }) },
    );
    expect(deep).toEqual([
      { kind: "requires", of, pointer: "/to/reference" },
      { kind: "type", of, pointer: "/all/*" },
    ]);
  });

  test("are a field that the workflow gives and an older Agent knows nothing of", () => {
    const drops = [{ kind: "drops", of, pointer: "/reference" }];
    expect(gaps({ input: optional }, {})).toEqual(drops);
    expect(gaps({ input: optional }, {}, { given: [{ iban: "a", reference: "b" }] })).toEqual(
      drops,
    );
  });

  test("are none where the workflow does not give it, the Agent is later, or takes any field", () => {
    expect(gaps({ input: optional }, {}, { given: [{ iban: "a" }] })).toEqual([]);
    expect(gaps({ input: optional }, {}, { isLater: true })).toEqual([]);
    const any = { ...transfer.input, additionalProperties: text };
    expect(gaps({ input: optional }, { input: any })).toEqual([]);
  });

  test("are none where the workflow gives what its own contract leaves open", () => {
    const given = [{ iban: "a", reference: { $ref: "/input/reference" } }];
    expect(gaps({ input: optional }, { input: both }, { given })).toEqual([]);
    expect(gaps({ input: optional }, { input: both })).toHaveLength(1);
  });

  test("are what the Agent may not return, and what it returns as another type", () => {
    expect(gaps({ output: object({ id: text, at: text }) }, {})).toEqual([
      { kind: "keeps", of: "output", pointer: "/at" },
    ]);
    expect(gaps({}, { output: object({ id: { type: "integer" } }) })).toEqual([
      { kind: "type", of: "output", pointer: "/id" },
    ]);
    expect(gaps({}, { output: object({ id: text, at: text }) })).toEqual([]);
  });

  test("are not claimed of choices, of schemas that are not known, or without end", () => {
    const choice = { anyOf: [both, object({ iban: text })] };
    expect(gaps({}, { input: choice })).toEqual([]);
    expect(gaps({}, { input: null })).toEqual([]);
    const endless = {
      $ref: "#/$defs/node",
      $defs: { node: object({ next: { $ref: "#/$defs/node" }, iban: text }, []) },
    };
    expect(gaps({ input: endless as never }, { input: endless })).toEqual([]);
  });

  test("are said in words", () => {
    const kinds = ["requires", "drops", "keeps", "type"] as const;
    const words = kinds.map((kind) => gapText({ kind, of, pointer: "/a" }));
    expect(words).toEqual([
      "needs /a, which the workflow does not give",
      "knows nothing of /a, which the workflow gives",
      "may not return /a, which the workflow relies on",
      "takes /a as another type",
    ]);
  });
});

const step = (name: string, more: Partial<StepDefinition>): StepDefinition =>
  ({ name, operation: "transfer", input: { iban: "a" }, ...more }) as StepDefinition;

const payroll = {
  steps: [
    step("pay", { agent: "bank", agents: ["bank", "bank-2"] }),
    step("post", { agent: "books", operation: "post" }),
  ],
  inputs: { "bank.transfer": transfer.input },
  outputs: { "bank.transfer": transfer.output },
} as unknown as WorkflowDefinition;

test("parts that refer to each other are compared in bounded time", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const node = object(Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/node" }])));
  const tree = { $defs: { node: object({ ...node.properties, value: text }) }, ...node };
  const other = {
    $defs: { node: object({ ...node.properties, value: { type: "integer" } }) },
    ...node,
  };
  const gaps = contractGaps({
    needed: { input: tree, output: null },
    offered: { input: other, output: null },
  });
  expect(gaps.length).toBeGreaterThan(1);
  expect(gaps.length).toBeLessThan(10_000);
});

test("a workflow needs the contract of a pool of each of its Agents, and none where it has no schemas", () => {
  const hash = contractHash(transfer);
  expect(contractsOf(payroll).map(({ agent, contract }) => [agent, contract])).toEqual([
    ["bank", hash],
    ["bank-2", hash],
    ["books", null],
  ]);
  expect(contractHashes(payroll)).toEqual({
    "bank.transfer": hash,
    "bank-2.transfer": hash,
  });
});

describe("an instance reads what a workflow asks for", () => {
  const newer = { ...transfer, input: object({ iban: text, reference: text }), isLater: true };
  const wider = {
    ...transfer,
    input: object({ iban: text, note: text }, ["iban"]),
    isLater: true,
  };
  const read = (offered: string | null | undefined, known: KnownContract | null = null) =>
    readingOf(payroll, { agent: "bank-2", operation: "transfer", offered, known });

  test("if it has the contract that the workflow was made with, or one that fits", () => {
    expect(read(contractHash(transfer))).toEqual({ reading: "same", why: "" });
    expect(read(contractHash(wider), wider)).toEqual({ reading: "fits", why: "" });
  });

  test("as each request shows, if it announces none or one that is not known", () => {
    expect(read("0123456789ab").reading).toBe("unknown");
    expect(read(null).reading).toBe("unknown");
    const post = { agent: "books", operation: "post", offered: "0123456789ab", known: wider };
    expect(readingOf(payroll, post).reading).toBe("unknown");
  });

  test("never, if it has no such operation or cannot do what is asked", () => {
    expect(read(undefined)).toEqual({ reading: "unfit", why: "has no operation transfer" });
    expect(read(contractHash(newer), newer)).toEqual({
      reading: "unfit",
      why: "needs /reference, which the workflow does not give",
    });
  });

  test("by what it announces of the operation", () => {
    const operations = ["recall", "transfer"];
    const of = (contracts: readonly string[] | null, asked = "transfer") =>
      announcedContract({ operations, contracts }, asked);
    expect([of(["", "a"]), of(["a", ""]), of(null), of([], "post")]).toEqual([
      "a",
      null,
      null,
      undefined,
    ]);
    expect(announcedContract({ operations: null, contracts: null }, "transfer")).toBeNull();
  });
});

describe("a request that an instance gave back", () => {
  const failed = (more: object): ReportedTaskEvent => ({
    taskId: "t",
    faultDetail: "/reference: Required",
    event: { kind: "failed", code: "step.contract_broken", ...more } as never,
  });
  const asked = { workflow: "payroll.v1", agent: "bank", operation: "transfer", needed: "a" };
  const instance = (name: string, contract: string): AnnouncingInstance => ({
    agent: "bank",
    name,
    operations: ["transfer"],
    contracts: [contract],
  });

  test("was refused by another contract than the workflow's, or for want of the operation", () => {
    expect(isGivenBack(failed({ contract: "b" }), () => "a")).toBe(true);
    expect(isGivenBack(failed({ code: "agent.unknown_operation" }), () => null)).toBe(true);
  });

  test("is a refusal by the same contract, where none is known, or without one", () => {
    expect(isGivenBack(failed({ contract: "a" }), () => "a")).toBe(false);
    expect(isGivenBack(failed({ contract: "b" }), () => null)).toBe(false);
    expect(isGivenBack(failed({}), () => "a")).toBe(false);
  });

  test("goes to another while one announces the contract, or the operation where there is none", () => {
    const instances = [instance("bank-1", "b"), instance("bank-2", "a")];
    expect(givenBackOften(failed({}), asked, instances).where).toBe("here");
    expect(givenBackOften(failed({}), { ...asked, needed: null }, instances).where).toBe("here");
  });

  test("waits for a person otherwise, who reads which instance has which contract", () => {
    const older = { ...instance("bank-2", ""), contracts: null };
    const other = { ...instance("bank-3", ""), operations: ["recall"] };
    const given = givenBackOften(failed({}), asked, [instance("bank-1", "b"), older, other]);
    expect(given.where).toBe("everywhere");
    expect(given.detail).toBe(
      "No running instance of bank is known to read transfer as payroll.v1 asks for it, which was made with the contract a: bank-1 has b, bank-2 announces none, bank-3 has no such operation. Run an instance that has it, then resubmit the step. The last one said: /reference: Required",
    );
    expect(givenBackOften(failed({}), asked, []).detail).toContain("none runs");
  });
});
