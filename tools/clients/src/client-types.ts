import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

/** Returns the types of `@holdfast/client`: those of all routes of the document. */
export const clientTypes = async (document: string): Promise<string> =>
  astToString(await openapiTS(JSON.parse(document) as OpenAPI3));
