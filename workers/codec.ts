import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import protocol from "@temporalio/proto";
import { Failure } from "../domain/failures.ts";

/** A key of 32 bytes under the name that what was encrypted with it carries. */
export interface PayloadKey {
  readonly id: string;
  readonly key: Uint8Array;
}

const { Payload: PayloadMessage } = protocol.temporal.api.common.v1;

const cipher = "aes-256-gcm";
/** Bytes, as NIST SP 800-38D recommends them: the initialisation vector, and the longest tag there is. */
const ivBytes = 12;
const tagBytes = 16;

/** Names that encrypting codecs of Temporal's samples use, so that its tools recognise what is encrypted. */
const encoding = "binary/encrypted";
const keyIdEntry = "encryption-key-id";

/** Whether payloads are encrypted from now on; what is encrypted is decrypted in either case. */
interface CodecOptions {
  readonly encrypts: boolean;
}

/**
 * Encrypts payloads with AES-256-GCM before they leave the process: `data` is initialisation vector, encrypted payload
 * message (its metadata included) and tag; the key's id stands in the metadata and is authenticated with the rest. The
 * first key encrypts, the one that a payload names decrypts. Payloads that are not encrypted pass `decode` as they are, so
 * that open runs go on when encryption is turned on or off.
 * `decode` @throws Failure internal_error naming the key, which `undecodableIn` tells from others
 * @param ring at least one key, each with an id of its own
 */
export function createPayloadCodec(
  ring: readonly PayloadKey[],
  { encrypts }: CodecOptions = { encrypts: true },
): PayloadCodec {
  const [first] = ring;
  if (!first) throw new Failure("internal_error", "There is no key to encrypt payloads with. Set ENCRYPTION_KEYS.");
  const keys = new Map(ring.map(({ id, key }) => [id, key]));
  return {
    encode: async (payloads) => (encrypts ? payloads.map((payload) => encrypt(payload, first)) : payloads),
    decode: async (payloads) =>
      payloads.map((payload) => (textOf(payload, "encoding") === encoding ? decrypt(payload, keys) : payload)),
  };
}

/** What clients, workers and the workflows' bundle are given; where it encrypts, Temporal stores no payload unencrypted. */
export function createDataConverter(
  ring: readonly PayloadKey[],
  options: CodecOptions = { encrypts: true },
): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(ring, options)],
    // It hides messages of failures in payloads, which the default one reads as well.
    ...(options.encrypts && { failureConverterPath: join(import.meta.dirname, "failure-converter.ts") }),
  };
}

/** What says that no key of the ring opens a payload, wherever in the chain of causes it is. */
export function undecodableIn(error: unknown): Failure | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof UndecodablePayload) return at;
  return undefined;
}

class UndecodablePayload extends Failure {
  constructor(message: string, options: ErrorOptions = {}) {
    super("internal_error", message, options);
  }
}

function encrypt(payload: Payload, { id, key }: PayloadKey): Payload {
  const iv = randomBytes(ivBytes);
  const sealer = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(authenticated(id));
  const text = sealer.update(PayloadMessage.encode(payload).finish());
  return {
    metadata: { encoding: Buffer.from(encoding), [keyIdEntry]: Buffer.from(id) },
    data: Buffer.concat([iv, text, sealer.final(), sealer.getAuthTag()]),
  };
}

function decrypt(payload: Payload, keys: ReadonlyMap<string, Uint8Array>): Payload {
  const id = textOf(payload, keyIdEntry) ?? "";
  const shown = JSON.stringify(id.slice(0, 64));
  const key = keys.get(id);
  if (!key) {
    const message = `A Temporal payload is encrypted with the key ${shown}, which is missing. Add it to ENCRYPTION_KEYS again.`;
    throw new UndecodablePayload(message);
  }
  try {
    const data = payload.data ?? new Uint8Array();
    const opener = createDecipheriv(cipher, key, data.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(authenticated(id))
      .setAuthTag(data.subarray(Math.max(ivBytes, data.length - tagBytes)));
    const text = opener.update(data.subarray(ivBytes, -tagBytes));
    return PayloadMessage.decode(Buffer.concat([text, opener.final()]));
  } catch (cause) {
    const message = `A Temporal payload cannot be decrypted with the key ${shown}: it is corrupt, or the key with that ID is another one. Put the right key into ENCRYPTION_KEYS.`;
    throw new UndecodablePayload(message, { cause });
  }
}

/** What is authenticated beside the encrypted text, so that no payload can be passed off as another key's. */
function authenticated(id: string): Buffer {
  return Buffer.from(`${encoding} ${id}`);
}

function textOf({ metadata }: Payload, name: string): string | undefined {
  const bytes = metadata?.[name];
  return bytes && Buffer.from(bytes).toString("utf8");
}
