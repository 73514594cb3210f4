import * as z from "zod";

import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import type { ApiAnswer } from "../answers.ts";
import type { Call, Route } from "../http.ts";
import type { Codec, Payload } from "../options.ts";
import { parseBody } from "../parameters.ts";

/** Maximum of payloads in a request; the Web UI sends those of one event, or of one page of a list. */
const maxPayloads = 1000;

const base64 = z
  .base64({ error: "must be bytes in base64" })
  .transform((text): Uint8Array => Buffer.from(text, "base64"));

/** Payloads in the JSON form of their message: https://docs.temporal.io/codec-server */
const payloadsBody = z.object({
  payloads: z
    .array(
      z.object(
        {
          metadata: z.record(z.string(), base64, { error: "must be an object" }).optional(),
          data: base64.optional(),
        },
        { error: "must be a payload" },
      ),
      { error: "must be a list of payloads" },
    )
    .max(maxPayloads, { error: `must have at most ${maxPayloads} payloads` }),
});

/**
 * What Temporal's Web UI, and its command line with `--codec-endpoint`, ask to show payloads. The namespace that they
 * name in X-Namespace changes nothing: a payload says itself which key it needs.
 */
export const codecRoutes: readonly Route[] = [
  route("decode", (codec, payloads) => codec.decode(payloads)),
  route("encode", (codec, payloads) => codec.encode(payloads)),
];

function route(name: string, convert: (codec: Codec, payloads: Payload[]) => Promise<Payload[]>): Route {
  const path = `/api/temporal/codec/${name}`;
  const handler = async ({ caller, body, options: { codec } }: Call): Promise<ApiAnswer> => {
    authorize(caller, "payloads");
    const payloads = parseBody(payloadsBody, body).payloads.map(({ metadata, data }) => ({
      ...(metadata && { metadata }),
      ...(data && { data }),
    }));
    if (!codec) throw new Failure("route_not_found", "This server encrypts nothing for Temporal: there is no codec.");
    try {
      return jsonAnswer({ payloads: (await convert(codec, payloads)).map(toJson) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // Whoever sends payloads that no key of ours fits has to change what is sent, or the keys.
      throw new Failure("validation_error", error.message, { cause: error });
    }
  };
  return { method: "POST", path, scope: "admin", limit: "read", body: "needed", forTemporalUi: true, handler };
}

function toJson({ metadata, data }: Payload): object {
  const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  const entries = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, toText(bytes)] as const);
  return { metadata: Object.fromEntries(entries), ...(data && { data: toText(data) }) };
}
