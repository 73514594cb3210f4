import * as z from "zod";
import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import type { Codec, Payload } from "../options.ts";
import { route, success, type Route } from "../route.ts";

/** Maximum number of payloads in a request. The Web UI sends those of an event, or of a page of a list. */
const maxPayloads = 1000;

const base64 = z
  .base64({ error: "must be bytes in base64" })
  .transform((text): Uint8Array => Buffer.from(text, "base64"));

/** Payloads as JSON: https://docs.temporal.io/codec-server */
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
 * The codec server of Temporal's Web UI, and of its command line with `--codec-endpoint`. X-Namespace is ignored, as a payload names
 * its key.
 */
export const codecRoutes: readonly Route[] = [
  conversion(
    "decode",
    "Decrypt payloads for the Temporal Web UI",
    "The codec endpoint is `/api/temporal/codec`. Payloads that are not encrypted are returned unchanged.",
  ),
  conversion(
    "encode",
    "Encrypt payloads for Temporal",
    "For input typed into the Temporal Web UI or command line. With `TEMPORAL_ENCRYPTION=off` payloads are returned unchanged.",
  ),
];

function conversion(name: keyof Codec, summary: string, description: string): Route {
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
      description: `${description} For the instance's administrators. 404 if the server executes runs without Temporal.`,
      headers: { "X-Namespace": "Temporal namespace, as its Web UI sends it; ignored." },
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
        return jsonAnswer({ payloads: (await codec[name](payloads)).map(toJson) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        // The sender's error: no key fits these payloads.
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
