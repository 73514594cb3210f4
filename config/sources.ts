import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Where products are asked that serve all their customers at one address. */
export const sourceSettings = {
  confluenceGateway: setting({
    env: "CONFLUENCE_GATEWAY_URL",
    default: "https://api.atlassian.com",
    meaning:
      "Where Confluence Cloud is asked with scoped tokens and those of service accounts. Another address is for a proxy of your own.",
    schema: z
      .string()
      .refine(format.isWebUrl, format.must("an absolute http(s) URL without credentials, query and fragment"))
      .transform((text) => new URL(text)),
  }),
};
