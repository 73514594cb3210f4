import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder, writeWhole } from "../stores/blobs/durable-files.ts";
import { keyRing } from "./config/formats.ts";
import type { RingKey } from "./config/formats.ts";
import { Failure } from "../domain/failures.ts";
import type { Secrets } from "../domain/ports.ts";
import { absentAsUndefined } from "./data-folder.ts";

const cipher = "aes-256-gcm";
/** Sizes in bytes by NIST SP 800-38D: the recommended initialisation vector, and the longest tag. */
const ivBytes = 12;
const tagBytes = 16;
const sealedShape = /^v1\.(?<id>[\w-]{1,64})\.(?<iv>[\w-]{16})\.(?<tag>[\w-]{22})\.(?<text>[\w-]*)$/;

/**
 * Secrets with AES-256-GCM. Sealed text is `v1.<key id>.<iv>.<tag>.<text>`, the last three in base64url. The first key
 * seals, the named key opens. Version and key ID are authenticated with the text.
 * @param ring at least one key, each of 32 bytes and with a unique ID
 */
export function createSecrets(ring: readonly RingKey[]): Secrets {
  const [sealing] = ring;
  if (!sealing)
    throw new Failure("internal_error", "There is no key to encrypt credentials with. Set ENCRYPTION_KEYS.");
  const keys = new Map(ring.map(({ id, key }) => [id, key]));
  return {
    seal(plain) {
      const head = `v1.${sealing.id}`;
      const iv = randomBytes(ivBytes);
      const sealer = createCipheriv(cipher, sealing.key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(head));
      const text = Buffer.concat([sealer.update(plain, "utf8"), sealer.final()]);
      return [head, ...[iv, sealer.getAuthTag(), text].map((bytes) => bytes.toString("base64url"))].join(".");
    },

    open(sealed) {
      const { id, iv, tag, text } = sealedShape.exec(sealed)?.groups ?? {};
      if (id === undefined || iv === undefined || tag === undefined || text === undefined) {
        throw new Failure("internal_error", "A stored credential is not in the form v1.<key id>.<iv>.<tag>.<text>.");
      }
      const key = keys.get(id);
      if (!key) {
        const message = `A stored credential is encrypted with the key "${id}", which is missing. Add it to ENCRYPTION_KEYS again, or submit the credential again.`;
        throw new Failure("internal_error", message);
      }
      try {
        const opener = createDecipheriv(cipher, key, Buffer.from(iv, "base64url"), { authTagLength: tagBytes })
          .setAAD(Buffer.from(`v1.${id}`))
          .setAuthTag(Buffer.from(tag, "base64url"));
        return Buffer.concat([opener.update(Buffer.from(text, "base64url")), opener.final()]).toString("utf8");
      } catch (error) {
        const message = `A stored credential cannot be decrypted with the key "${id}": it is corrupt, or the key with that ID is another one. Submit the credential again.`;
        throw new Failure("internal_error", message, { cause: error });
      }
    },
  };
}

/** Where keys come from. */
export interface RingSources {
  /** Keys of ENCRYPTION_KEYS; empty: not set. */
  readonly configured: readonly RingKey[];
  /** File of the generated key; null: several hosts must share keys, so none is generated. */
  readonly file: string | null;
}

/**
 * The key ring, the sealing key first: the configured keys, then the generated one, which is created (mode 0600) at the first
 * start without configured keys, and still opens what it sealed after keys have been configured.
 * @throws Failure internal_error where the file is invalid, or there is no key
 */
export async function loadRing({ configured, file }: RingSources): Promise<readonly RingKey[]> {
  const found = await findRing({ configured, file });
  if (found.length > 0) return found;
  if (file === null) throw new Failure("internal_error", "Set ENCRYPTION_KEYS: every process needs the same keys.");
  await writeWhole(file, `${file}.${randomUUID()}.tmp`, `${randomBytes(32).toString("base64")}\n`);
  await syncFolder(dirname(file));
  return readKeyFile(file);
}

/** The existing keys, in the order of `loadRing`. */
export async function findRing({ configured, file }: RingSources): Promise<readonly RingKey[]> {
  const kept = file === null ? [] : await readKeyFile(file);
  return [...configured, ...kept.filter(({ id }) => !configured.some((key) => key.id === id))];
}

/** The keys in the file, in the form of ENCRYPTION_KEYS; empty: no file. */
async function readKeyFile(file: string): Promise<readonly RingKey[]> {
  const found = await stat(file).catch(absentAsUndefined);
  if (!found) return [];
  if ((found.mode & 0o007) !== 0) {
    throw new Failure(
      "internal_error",
      `${file} contains keys and is accessible to other users. Run: chmod 600 ${file}`,
    );
  }
  const ring = keyRing.safeParse(await readFile(file, "utf8"));
  if (!ring.success || ring.data.length === 0) {
    const message = `${file} contains no valid encryption keys. Restore it from a backup; or remove it, and submit the credentials of private sources again.`;
    throw new Failure("internal_error", message);
  }
  return ring.data;
}
