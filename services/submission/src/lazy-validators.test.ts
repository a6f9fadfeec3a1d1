import { AjvCompiler } from "@fastify/ajv-compiler";
import { expect, test } from "@jest/globals";
import { lazyValidators } from "./lazy-validators.ts";

test("a schema is compiled once, for the first request, and says what is wrong with each", () => {
  const schemas: unknown[] = [];
  const build: ReturnType<typeof AjvCompiler> = (...external) => {
    const compile = AjvCompiler()(...external);
    return (...route) => {
      schemas.push(route);
      return compile(...route);
    };
  };
  const compile = lazyValidators(build)({}, { customOptions: { allErrors: true } });
  const validate = compile({ schema: { type: "object", required: ["id", "of"] } });
  expect(schemas).toEqual([]);
  expect(validate({})).toBe(false);
  expect(validate.errors?.map(({ params }) => params)).toEqual([
    { missingProperty: "id" },
    { missingProperty: "of" },
  ]);
  expect(validate({ id: 1, of: 2 })).toBe(true);
  expect(validate.errors).toBeNull();
  expect(schemas).toHaveLength(1);
});
