import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { load } from "./load.ts";

const documentOf = async (): Promise<object> => {
  const { openApiDocument } = await load("services/submission/test/list-routes.ts");
  return (openApiDocument as () => Promise<object>)();
};

/** The OpenAPI document of the submission service, from the schemas of its routes. */
export const openApiFile = async (): Promise<string> =>
  `${JSON.stringify(await documentOf(), null, 2)}\n`;

/** The types of the client, from the same document. */
export async function openApiTypes(): Promise<string> {
  // As JSON: the document may not have what JSON has not.
  const document = JSON.parse(await openApiFile()) as OpenAPI3;
  const types = astToString(await openapiTS(document));
  return `// Written by \`npm run reference\`, from docs/reference/openapi.json.\n\n${types}`;
}
