import { Type } from "typebox";

/** The settings of the shop's Agents, by their environment variables. */
export const PartnersConfig = Type.Object({
  /** The address of the remote services. */
  PARTNERS_URL: Type.String({
    maxLength: 4_000,
    pattern: "^https?://",
    description: "an HTTP URL such as http://localhost:4000",
  }),
});
