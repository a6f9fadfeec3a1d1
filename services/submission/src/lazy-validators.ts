import { AjvCompiler } from "@fastify/ajv-compiler";

type BuildCompiler = ReturnType<typeof AjvCompiler>;
type Compile = ReturnType<BuildCompiler>;
type Validate = ReturnType<Compile>;

/** Parts of a request in which all errors are looked for; in a larger one only the first. */
const mostParts = 1_000;

/**
 * Compiles the schema of a part of a request when the first such request comes. Fastify would
 * compile those of all routes when it starts, which is a fifth of the time that this service takes
 * for that.
 *
 * A check ends at the first error. If the request is small, a second one looks for all, so that its
 * sender can correct them at once: a large one may have as many errors as bytes.
 *
 * What is checked by its route is not checked here: a definition, which may have hundreds of
 * schemas, aside.
 */
export function lazyValidators(build: BuildCompiler = AjvCompiler()): BuildCompiler {
  return (schemas, options) => {
    const compile = build(schemas, options);
    const always = (() => true) as unknown as Validate;
    let compileForAll: Compile | undefined;
    return (...route) => {
      if (isChecked(route[0] as object)) return always;
      let first: Validate | undefined;
      let all: Validate | undefined;
      const findAll = (data: unknown): Validate["errors"] => {
        compileForAll ??= build(schemas, allErrors(options));
        all ??= compileForAll(...route);
        void all(data);
        return all.errors;
      };
      const validate = ((data: unknown) => {
        first ??= compile(...route);
        const isValid = first(data);
        validate.errors = (isValid || !isSmall(data) ? first.errors : findAll(data)) ?? null;
        return isValid;
      }) as Validate;
      return validate;
    };
  };
}

const isChecked = ({ schema }: { readonly schema?: { readonly $ref?: string } }): boolean =>
  schema?.$ref === "WorkflowDefinition#";

type Options = Parameters<BuildCompiler>[1];

const allErrors = (options: Options): Options =>
  ({ ...options, customOptions: { ...options?.customOptions, allErrors: true } }) as Options;

/** Whether a value has few parts. Looks at no more than that. */
function isSmall(value: unknown): boolean {
  const waiting = [value];
  for (let parts = 1; waiting.length > 0; parts += 1) {
    const one = waiting.pop();
    const below = typeof one === "object" && one !== null ? Object.values(one) : [];
    if (parts + waiting.length + below.length > mostParts) return false;
    waiting.push(...below);
  }
  return true;
}
