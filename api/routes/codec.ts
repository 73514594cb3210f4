import * as z from "zod";

import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import type { Codec, Payload } from "../options.ts";
import { route, success } from "../route.ts";
import type { Route } from "../route.ts";

/** Maximum number of payloads in a request; the Web UI sends those of one event, or of one page of a list. */
const maxPayloads = 1000;

const base64 = z
  .base64({ error: "must be bytes in base64" })
  .transform((text): Uint8Array => Buffer.from(text, "base64"));

/** Payloads in the JSON form of their message: https://docs.temporal.io/codec-server */
const payloadsBody = z
  .object({
    payloads: z
      .array(
        z.object(
          {
            metadata: z
              .record(z.string(), base64, { error: "must be an object" })
              .optional()
              .describe("How the value is encoded, bytes in base64."),
            data: base64.optional().describe("The value."),
          },
          { error: "must be a payload" },
        ),
        { error: "must be a list of payloads" },
      )
      .max(maxPayloads, { error: `must have at most ${maxPayloads} payloads` })
      .describe("Temporal payloads in the JSON form of their message."),
  })
  .meta({ id: "Payloads" });

/**
 * What Temporal's Web UI, and its command line with `--codec-endpoint`, ask to show payloads. The namespace that they
 * name in X-Namespace changes nothing: a payload says itself which key it needs.
 */
export const codecRoutes: readonly Route[] = [
  conversion(
    "decode",
    "Decrypt payloads for the Temporal Web UI",
    "The codec endpoint is `/api/temporal/codec`. Payloads that are not encrypted come back as they are.",
    (codec, payloads) => codec.decode(payloads),
  ),
  conversion(
    "encode",
    "Encrypt payloads for Temporal",
    "With `TEMPORAL_ENCRYPTION=off` they come back as they are. For input that is typed into the Temporal Web UI or given to its command line.",
    (codec, payloads) => codec.encode(payloads),
  ),
];

function conversion(
  name: "decode" | "encode",
  summary: string,
  description: string,
  convert: (codec: Codec, payloads: Payload[]) => Promise<Payload[]>,
): Route {
  return route({
    method: "POST",
    path: `/api/temporal/codec/${name}`,
    scope: "admin",
    limit: "read",
    audit: `payloads.${name}`,
    forTemporalUi: true,
    about: {
      operationId: `${name}Payloads`,
      tag: "Operations",
      summary,
      description: `${description} For the instance's administrators. 404 where the server executes runs without Temporal.`,
      headers: { "X-Namespace": "Temporal namespace, as its Web UI sends it; it changes nothing." },
    },
    body: jsonBody(payloadsBody),
    answers: success(payloadsBody),
    failures: ["route_not_found"],
    async handler({ caller, body, options: { codec } }) {
      authorize(caller, "payloads");
      const payloads = body.payloads.map(({ metadata, data }) => ({
        ...(metadata && { metadata }),
        ...(data && { data }),
      }));
      if (!codec)
        throw new Failure("route_not_found", "This server executes runs without Temporal: there is no codec.");
      try {
        return jsonAnswer({ payloads: (await convert(codec, payloads)).map(toJson) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        // Without a fitting key, the sender has to change payloads or keys.
        throw new Failure("validation_error", error.message, { cause: error });
      }
    },
  });
}

function toJson({ metadata, data }: Payload): object {
  const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  const entries = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, toText(bytes)] as const);
  return { metadata: Object.fromEntries(entries), ...(data && { data: toText(data) }) };
}
