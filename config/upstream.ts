import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Settings of the upstream. */
export const upstreamSettings = {
  upstreamUrl: setting({
    env: "UPSTREAM_URL",
    default: "",
    meaning:
      "Base address of a server of the same API, ending in /api, whose public libraries are found besides the local ones by teamspaces that turn that on: the hosted service, or another Lectern.",
    schema: format.orNull(
      z
        .string()
        .refine(
          (text) => format.isWebUrl(text) && /\/api\/?$/.test(new URL(text).pathname),
          format.must("an absolute http(s) URL that ends in /api, without credentials, query and fragment"),
        )
        .transform((text) => new URL(text.replace(/\/$/, ""))),
    ),
  }),
  upstreamApiKey: setting({
    env: "UPSTREAM_API_KEY",
    default: "",
    meaning:
      "API key for the upstream only: callers here can read whatever it opens there. Not set: requests have no key.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be 1 to 500 characters without spaces")),
    secret: true,
  }),
};
