import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import protocol from "@temporalio/proto";
import { Failure } from "../domain/failures.ts";

/** A key of 32 bytes, and the ID by which payloads name it. */
export interface PayloadKey {
  readonly id: string;
  readonly key: Uint8Array;
}

const { Payload: PayloadMessage } = protocol.temporal.api.common.v1;

const cipher = "aes-256-gcm";
/** Lengths in bytes of the initialisation vector, as NIST SP 800-38D recommends it, and of the tag, the maximum. */
const ivBytes = 12;
const tagBytes = 16;

/** The names in Temporal's samples of encrypting codecs, so that its tools recognise encrypted payloads. */
const encoding = "binary/encrypted";
const keyIdEntry = "encryption-key-id";

interface CodecOptions {
  /** Whether new payloads are encrypted; encrypted ones are decrypted in either case. */
  readonly encrypts: boolean;
}

/**
 * Encrypts payloads with AES-256-GCM before they leave the process. `data` is the initialisation vector, the encrypted payload
 * message (with its metadata) and the tag; the key's ID is in the metadata, and authenticated. The first key encrypts; the key
 * that a payload names decrypts. `decode` returns unencrypted payloads unchanged, so that open runs continue when encryption
 * is turned on or off.
 * `decode` @throws Failure internal_error naming the key, which `decryptionFailureIn` recognises
 * @param ring at least one key, with unique IDs
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

/** The data converter of clients, workers and the workflow bundle. */
export function createDataConverter(
  ring: readonly PayloadKey[],
  options: CodecOptions = { encrypts: true },
): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(ring, options)],
    // It moves messages of failures into payloads; the default converter can read those too.
    ...(options.encrypts && { failureConverterPath: join(import.meta.dirname, "failure-converter.ts") }),
  };
}

/** The failure to decrypt a payload, from anywhere in the chain of causes. */
export function decryptionFailureIn(error: unknown): Failure | undefined {
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
    const message = `A Temporal payload cannot be decrypted with the key ${shown}: it is corrupt, or the key with that ID was replaced. Put the right key into ENCRYPTION_KEYS.`;
    throw new UndecodablePayload(message, { cause });
  }
}

/** The authenticated data besides the encrypted text, so that no payload passes for another key's. */
function authenticated(id: string): Buffer {
  return Buffer.from(`${encoding} ${id}`);
}

function textOf({ metadata }: Payload, name: string): string | undefined {
  const bytes = metadata?.[name];
  return bytes && Buffer.from(bytes).toString("utf8");
}
