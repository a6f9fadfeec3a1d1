import { Type } from "typebox";

/** What the shop's Agents can be told, and by which environment variables. */
export const PartnersConfig = Type.Object({
  /** The address of the remote services. */
  PARTNERS_URL: Type.String({
    maxLength: 4_000,
    pattern: "^https?://",
    description: "an HTTP URL such as http://localhost:4000",
  }),
});
