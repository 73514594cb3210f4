import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Settings of the upstream. */
export const upstreamSettings = {
  upstreamUrl: setting({
    env: "UPSTREAM_URL",
    default: "",
    meaning:
      "Server of the same API, ending in /api, whose public libraries are found too, by teamspaces that turn it on.",
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
    meaning: "API key for the upstream. Callers can read whatever it opens there.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be 1 to 500 characters without spaces")),
    secret: true,
  }),
};
