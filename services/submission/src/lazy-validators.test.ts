import { AjvCompiler } from "@fastify/ajv-compiler";
import { expect, test } from "@jest/globals";
import { lazyValidators } from "./lazy-validators.ts";

test("a schema is compiled for the first request, and once more for the first wrong one, of which all errors are found", () => {
  const schemas: unknown[] = [];
  const build: ReturnType<typeof AjvCompiler> = (...external) => {
    const compile = AjvCompiler()(...external);
    return (...route) => {
      schemas.push(route);
      return compile(...route);
    };
  };
  const compile = lazyValidators(build)({}, { customOptions: { allErrors: false } });
  const validate = compile({ schema: { type: "object", required: ["id", "of"] } });
  expect(schemas).toEqual([]);
  expect(validate({ id: 1, of: 2 })).toBe(true);
  expect(schemas).toHaveLength(1);
  expect(validate({})).toBe(false);
  expect(validate.errors?.map(({ params }) => params)).toEqual([
    { missingProperty: "id" },
    { missingProperty: "of" },
  ]);
  expect(validate({ id: 1, of: 2 })).toBe(true);
  expect(validate.errors).toBeNull();
  expect(validate({ id: 1 })).toBe(false);
  expect(schemas).toHaveLength(2);
});

test("a definition is left to its route, which checks it in parts", () => {
  const compile = lazyValidators()({}, { customOptions: { allErrors: false } });
  expect(compile({ schema: { $ref: "WorkflowDefinition#" } })({ steps: "none" })).toBe(true);
});

test("of a large request only the first error is found", () => {
  const customOptions = { allErrors: false, removeAdditional: false };
  const compile = lazyValidators()({}, { customOptions });
  const validate = compile({ schema: { type: "object", additionalProperties: false } });
  const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, 1]));
  expect(validate(fields)).toBe(false);
  expect(validate.errors).toHaveLength(1);
});
