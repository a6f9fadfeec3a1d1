import { load } from "./load.ts";

const documentOf = async (): Promise<object> => {
  const { openApiDocument } = await load("services/submission/test/list-routes.ts");
  return (openApiDocument as () => Promise<object>)();
};

/** The OpenAPI document of the submission service, from the schemas of its routes. */
export const openApiFile = async (): Promise<string> =>
  `${JSON.stringify(await documentOf(), null, 2)}\n`;
