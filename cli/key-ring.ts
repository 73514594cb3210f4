import type { Logger } from "pino";
import type { RingKey } from "./config/formats.ts";
import { Failure } from "../domain/failures.ts";
import type { Catalog, Secrets, CredentialRecord } from "../domain/ports.ts";
import { createSecrets, findRing, loadRing } from "./secrets.ts";
import type { RingSources } from "./secrets.ts";

/** Maximum number of names in a sentence; the others are counted. */
const maxNamed = 5;

/**
 * The key ring of a catalog. A key is generated only where nothing is sealed yet; credentials that no key opens are logged.
 * @throws Failure internal_error where something is sealed and there is no key, in a sentence that says what to do
 */
export async function ringFor(
  { credentials, keys, libraries }: Pick<Catalog, "credentials" | "keys" | "libraries">,
  sources: RingSources,
  log: Logger,
): Promise<readonly RingKey[]> {
  const sealed = await credentials.all();
  const found = await findRing(sources);
  if (found.length === 0 && sealed.length > 0) {
    const copy = sources.file === null ? "Set" : `Copy it from a backup to ${sources.file}, or set`;
    const message = `The encryption key is missing, and ${await namesOf(libraries, sealed)} cannot be read without it. ${copy} ENCRYPTION_KEYS to it. If it is lost, set ENCRYPTION_KEYS to a new one (openssl rand -base64 32), start, and submit these credentials again.`;
    throw new Failure("internal_error", message);
  }
  const ring = await loadRing(sources);
  const wasUsed = found.length === 0 && (await keys.list("default")).length > 0;
  if (wasUsed)
    log.warn(
      "a new encryption key was generated, though the catalog is not new: exports are signed by another key from now on",
    );
  const secrets = createSecrets(ring);
  const unreadable = sealed.filter((credential) => !opens(secrets, credential));
  if (unreadable.length > 0)
    log.warn(
      `No encryption key opens ${await namesOf(libraries, unreadable)}: what needs them cannot be read. Add the key that they were sealed with to ENCRYPTION_KEYS, from a backup of encryption.key or the setting's last value; or submit these credentials again.`,
    );
  return ring;
}

function opens(secrets: Secrets, { sealed }: CredentialRecord): boolean {
  try {
    secrets.open(sealed);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Credentials for people: a shared one by its name, a library's own by the library. */
async function namesOf(libraries: Catalog["libraries"], found: readonly CredentialRecord[]): Promise<string> {
  const own = found.filter(({ name }) => name === "");
  const users = await libraries.usersOf(own.slice(0, maxNamed).map(({ id }) => id));
  const names = [
    ...found
      .filter(({ name }) => name !== "")
      .slice(0, maxNamed)
      .map(({ name, teamspace, host }) => `"${name}" of the teamspace ${teamspace}, for ${host}`),
    ...users.map(({ id }) => `that of ${id}`),
  ].slice(0, maxNamed);
  const count = found.length === 1 ? "one stored credential" : `${found.length} stored credentials`;
  const more = found.length > names.length ? "; ..." : "";
  return `${count} (${names.join("; ")}${more})`;
}
