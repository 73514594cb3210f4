import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "pino";
import { syncFolder, writeWhole } from "../stores/blobs/durable-files.ts";
import { keyRing, type RingKey } from "./config/formats.ts";
import { Failure } from "../domain/failures.ts";
import type { Catalog, CredentialRecord, Secrets } from "../domain/ports.ts";
import { undefinedIfMissing } from "./data-folder.ts";

const cipher = "aes-256-gcm";
/** Sizes in bytes, by NIST SP 800-38D: the recommended initialisation vector and the longest tag. */
const ivBytes = 12;
const tagBytes = 16;
const sealedShape = /^v1\.(?<id>[\w-]{1,64})\.(?<iv>[\w-]{16})\.(?<tag>[\w-]{22})\.(?<text>[\w-]*)$/;

/**
 * Secrets with AES-256-GCM. Sealed text is `v1.<key id>.<iv>.<tag>.<text>`, the last three in base64url. The first key seals; the key
 * with the ID opens. Version and key ID are authenticated too.
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

/** The sources of keys. */
export interface RingSources {
  /** Keys of ENCRYPTION_KEYS; empty: not set. */
  readonly configured: readonly RingKey[];
  /** File of the generated key; null: none is generated, as several hosts must share keys. */
  readonly file: string | null;
}

/**
 * The key ring, the sealing key first: the configured keys, then the generated one. That one is created (mode 0600) at the first start
 * without configured keys, and still opens its ciphertexts when keys are configured later.
 * @throws Failure internal_error if the file is invalid, or there is no key
 */
export async function loadRing({ configured, file }: RingSources): Promise<readonly RingKey[]> {
  const existing = await findRing({ configured, file });
  if (existing.length > 0) return existing;
  if (file === null) throw new Failure("internal_error", "Set ENCRYPTION_KEYS: every process needs the same keys.");
  await writeWhole(file, `${file}.${randomUUID()}.tmp`, `${randomBytes(32).toString("base64")}\n`);
  await syncFolder(dirname(file));
  return readKeyFile(file);
}

/** The existing keys, in the order of `loadRing`. */
export async function findRing({ configured, file }: RingSources): Promise<readonly RingKey[]> {
  const generated = file === null ? [] : await readKeyFile(file);
  return [...configured, ...generated.filter(({ id }) => !configured.some((key) => key.id === id))];
}

/** The keys in a file, which has the form of ENCRYPTION_KEYS; empty without a file. */
async function readKeyFile(file: string): Promise<readonly RingKey[]> {
  const entry = await stat(file).catch(undefinedIfMissing);
  if (!entry) return [];
  if ((entry.mode & 0o007) !== 0) {
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

/** Maximum number of named credentials in a message; the others are counted. */
const maxNamed = 5;

/**
 * The key ring of a catalog. A key is generated only if no credentials are stored yet; credentials that no key opens are logged.
 * @throws Failure internal_error, which says what to do, if there are credentials and no key
 */
export async function ringFor(
  { credentials, keys, libraries }: Pick<Catalog, "credentials" | "keys" | "libraries">,
  sources: RingSources,
  log: Logger,
): Promise<readonly RingKey[]> {
  const sealed = await credentials.all();
  const existing = await findRing(sources);
  if (existing.length === 0 && sealed.length > 0) {
    const copy = sources.file === null ? "Set" : `Copy it from a backup to ${sources.file}, or set`;
    const message = `The encryption key is missing, and ${await namesOf(libraries, sealed)} cannot be read without it. ${copy} ENCRYPTION_KEYS to it. If it is lost, set ENCRYPTION_KEYS to a new one (openssl rand -base64 32), start, and submit these credentials again.`;
    throw new Failure("internal_error", message);
  }
  const ring = await loadRing(sources);
  const wasUsed = existing.length === 0 && (await keys.list("default")).length > 0;
  if (wasUsed)
    log.warn(
      "a new encryption key was generated, though the catalog is not new: exports are signed with this key from now on",
    );
  const secrets = createSecrets(ring);
  const unreadable = sealed.filter((credential) => !opens(secrets, credential.sealed));
  if (unreadable.length > 0)
    log.warn(
      `No encryption key opens ${await namesOf(libraries, unreadable)}; sources that need them cannot be read. Add the key that sealed them to ENCRYPTION_KEYS, from a backup of encryption.key or the setting's last value; or submit these credentials again.`,
    );
  return ring;
}

/** Whether a key ring of at least one key opens all of some sealed texts. */
export function opensAll(ring: readonly RingKey[], sealed: readonly string[]): boolean {
  const secrets = createSecrets(ring);
  return sealed.every((text) => opens(secrets, text));
}

/**
 * Encrypts with the first key what others have encrypted, so that these can be removed from the key ring. What fails is logged, and tried
 * again with the next sweep.
 */
export async function resealAll(
  { credentials }: Pick<Catalog, "credentials">,
  ring: readonly RingKey[],
  log: Logger,
): Promise<void> {
  const secrets = createSecrets(ring);
  const own = `v1.${ring[0]?.id ?? ""}.`;
  try {
    const count = await credentials.reseal((sealed) =>
      sealed.startsWith(own) || !opens(secrets, sealed) ? undefined : secrets.seal(secrets.open(sealed)),
    );
    if (count > 0)
      log.info(
        `${count} stored secrets are now encrypted with the first key of ENCRYPTION_KEYS. The others may be removed; Temporal needs them for runs that are open.`,
      );
  } catch (error) {
    log.warn({ err: error }, "stored secrets cannot be encrypted with the first key; retrying");
  }
}

function opens(secrets: Secrets, sealed: string): boolean {
  try {
    secrets.open(sealed);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Describes credentials: shared ones by name, own ones by library. */
async function namesOf(libraries: Catalog["libraries"], all: readonly CredentialRecord[]): Promise<string> {
  const unshared = all.filter(({ name }) => name === "");
  const users = await libraries.usersOf(unshared.slice(0, maxNamed).map(({ id }) => id));
  const names = [
    ...all
      .filter(({ name }) => name !== "")
      .slice(0, maxNamed)
      .map(({ name, teamspace, host }) => `"${name}" of the teamspace ${teamspace}, for ${host}`),
    ...users.map(({ id }) => `that of ${id}`),
  ].slice(0, maxNamed);
  const count = all.length === 1 ? "one stored credential" : `${all.length} stored credentials`;
  const more = all.length > names.length ? "; ..." : "";
  return `${count} (${names.join("; ")}${more})`;
}
