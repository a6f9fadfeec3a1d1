import { AjvCompiler } from "@fastify/ajv-compiler";

type BuildCompiler = ReturnType<typeof AjvCompiler>;
type Validate = ReturnType<ReturnType<BuildCompiler>>;

/**
 * Compiles the schema of a part of a request when the first such request comes. Fastify would compile those of all
 * routes when it starts, which is a fifth of the time that this service takes for that.
 */
export function lazyValidators(build: BuildCompiler = AjvCompiler()): BuildCompiler {
  return (schemas, options) => {
    const compile = build(schemas, options);
    return (...route) => {
      let compiled: Validate | undefined;
      const validate = ((data: unknown) => {
        compiled ??= compile(...route);
        const isValid = compiled(data);
        validate.errors = compiled.errors ?? null;
        return isValid;
      }) as Validate;
      return validate;
    };
  };
}
