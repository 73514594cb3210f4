import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Settings of the classifier that judges passages besides the built-in screen. */
export const screeningSettings = {
  screenUrl: setting({
    meaning:
      "Your own classifier, which judges every passage before it is published, such as http://127.0.0.1:9000/judge. With a new address it judges all again.",
    schema: format.orNull(
      z
        .string()
        .refine(
          (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === "",
          format.must("an absolute http(s) URL without credentials"),
        )
        .transform((text) => new URL(text)),
    ),
  }),
  screenToken: setting({
    meaning: "Bearer token for the classifier.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be 1 to 500 characters without spaces")),
    secret: true,
  }),
  screenFails: setting({
    default: "closed",
    meaning:
      "While the classifier is unreachable: closed (runs wait, then fail) or open (pages are published, and judged at the next refresh).",
    schema: z.enum(["closed", "open"], format.must('"closed" or "open"')),
  }),
};

/** Settings of the embeddings server. */
export const embeddingSettings = {
  embeddingsUrl: setting({
    meaning:
      "OpenAI-compatible API that embeds passages, private ones too, and questions, such as http://127.0.0.1:11434/v1 of Ollama.",
    schema: format.orNull(format.webUrl),
  }),
  embeddingsModel: setting({
    meaning: "Model of the embeddings, such as all-minilm. A new one embeds all passages again.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 characters without spaces")),
  }),
  embeddingsApiKey: setting({
    meaning: "API key for the embeddings.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be 1 to 500 characters without spaces")),
    secret: true,
  }),
};

/** Problems with combinations of these settings. */
export function embeddingProblems({
  embeddingsUrl,
  embeddingsModel,
}: {
  readonly embeddingsUrl: URL | null;
  readonly embeddingsModel: string | null;
}): readonly string[] {
  if (embeddingsUrl === null || embeddingsModel !== null) return [];
  return ["EMBEDDINGS_URL needs EMBEDDINGS_MODEL: the name that the server has for the model, such as all-minilm."];
}

/** Settings of the upstream. */
export const upstreamSettings = {
  upstreamUrl: setting({
    meaning:
      "Address of a server with the same API, ending in /api. Teamspaces that turn it on also find its public libraries.",
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
    meaning: "API key for the upstream. Callers can read everything there that this key can.",
    schema: format.orNull(z.string().regex(/^[\x21-\x7e]{1,500}$/, "must be 1 to 500 characters without spaces")),
    secret: true,
  }),
};
