import type { Caller } from "./access.ts";
import { authorize, may } from "./authorizing.ts";
import {
  credentialNotFound,
  expiryOf,
  expiryWarning,
  isCredentialFor,
  openCredential,
  seal,
  audienceText,
  type SealingPorts,
} from "./credentials.ts";
import { Failure, failures, type FailureRecord } from "./failures.ts";
import { credentialKind, kinds, type Kind, type SourceSpec } from "./kinds/index.ts";
import type { CredentialRecord, LibraryRecord } from "./ports.ts";

/** The ports that managing shared credentials needs. */
export interface CredentialPorts extends SealingPorts {
  /** Resolves the revision of a source as a run does, with the data of a credential of its kind. @throws Failure */
  readonly resolveSource: (source: SourceSpec, credential: object, signal: AbortSignal) => Promise<unknown>;
}

/** A shared credential to create. The kind decides the form of `data`. */
export interface NewCredential {
  readonly teamspace: string;
  readonly kind: Kind;
  readonly name: string;
  readonly host: string;
  /** The tenant on the host, where a host serves several. */
  readonly tenant?: string;
  readonly data: object;
  /** When it expires, in milliseconds since 1970; absent: unknown, or told by its data. */
  readonly expiresAt?: number;
  /** Source to test it with before it is stored; absent: no test. */
  readonly trial?: SourceSpec;
}

/** A shared credential with the libraries that use it. */
export interface CredentialView {
  readonly credential: CredentialRecord;
  /** Those of them that the caller sees. */
  readonly libraries: readonly LibraryRecord[];
  /** Number of all of them. */
  readonly uses: number;
  /** When it expires, in milliseconds since 1970; null: unknown. */
  readonly expires: number | null;
  /** It expires soon, or its host was unreachable for the test; absent: neither. */
  readonly warning?: string;
}

/** Timeout of a test, in milliseconds. */
const testTimeout = 20_000;

/**
 * Creates a shared credential, with a trial only if its host accepts it or is unreachable.
 * @throws Failure duplicate_credential, validation_error for an unknown teamspace, the failure of the test, and what `authorize` throws
 */
export async function makeCredential(
  ports: CredentialPorts,
  caller: Caller,
  wanted: NewCredential,
): Promise<CredentialView> {
  const { trial, ...parts } = wanted;
  const { teamspace, kind, name } = parts;
  authorize(caller, "credentials", { teamspace });
  const credential = seal(ports, parts);
  const failure = trial && (await failureOf(ports, credential, trial));
  if (failure && !failures[failure.code].retryable) throw new Failure(failure.code, failure.message);
  const added = await ports.catalog.credentials.add(credential);
  if (added === "duplicate") {
    const message = `The teamspace "${teamspace}" has a credential "${name}" for ${kind} already. Delete that one, or choose another name.`;
    throw new Failure("duplicate_credential", message);
  }
  if (added === "no_teamspace") {
    const message = `There is no teamspace "${teamspace}". GET /api/v2/teamspaces lists them, and POST makes one.`;
    throw new Failure("validation_error", message);
  }
  const view = toView(ports, credential, []);
  return failure ? { ...view, warning: `It was stored, but could not be tested: ${failure.message}` } : view;
}

/** The shared credentials of a teamspace. @throws Failure as `authorize` does */
export async function listCredentials(
  ports: CredentialPorts,
  caller: Caller,
  teamspace: string,
): Promise<readonly CredentialView[]> {
  const { catalog } = ports;
  authorize(caller, "credentials", { teamspace });
  const credentials = await catalog.credentials.list(teamspace);
  const users = await catalog.libraries.usersOf(credentials.map(({ id }) => id));
  return credentials.map((credential) => {
    const libraries = users.filter((library) => library.credential === credential.id);
    return { ...toView(ports, credential, libraries), libraries: visibleOf(caller, libraries) };
  });
}

function toView(
  ports: SealingPorts,
  credential: CredentialRecord,
  libraries: readonly LibraryRecord[],
): CredentialView {
  const expires = expiryOf(ports, credential);
  const warning = expiryWarning(credential, expires, ports.now());
  return { credential, libraries, uses: libraries.length, expires, ...(warning !== undefined && { warning }) };
}

/** Deletes a shared credential that no library uses. @throws Failure credential_not_found, credential_in_use */
export async function deleteCredential(ports: CredentialPorts, caller: Caller, id: string): Promise<void> {
  const credential = await sharedCredential(ports, caller, id);
  const uses = await ports.catalog.credentials.remove(id);
  if (uses === undefined) throw credentialNotFound();
  if (uses === 0) return;
  const field = kinds[credentialKind(credential)].credential?.field;
  const message = `${uses === 1 ? "1 library uses" : `${uses} libraries use`} the credential "${credential.name}". Delete them, or refresh them with another credential${field === undefined ? "" : ` or ${field}`}.`;
  throw new Failure("credential_in_use", message);
}

/**
 * Tests a shared credential by resolving a source: the one that `sourceOf` makes for its kind; null: that of a library that uses
 * it. Returns the failure; undefined: the host accepts the credential.
 * @throws Failure credential_not_found, validation_error if there is no source, or it is on another host
 */
export async function testCredential(
  ports: CredentialPorts,
  caller: Caller,
  id: string,
  sourceOf: ((kind: Kind) => SourceSpec) | null,
): Promise<{ readonly source: SourceSpec; readonly failure: FailureRecord | undefined }> {
  const credential = await sharedCredential(ports, caller, id);
  const source = sourceOf?.(credentialKind(credential)) ?? (await usedSource(ports, caller, id));
  if (!isCredentialFor(credential, source)) {
    const message = `The credential "${credential.name}" is for ${audienceText(credential)} only. Name an address on that host.`;
    throw new Failure("validation_error", message);
  }
  return { source, failure: await failureOf(ports, credential, source) };
}

/** Why a source cannot be resolved with a credential; undefined: it can. */
async function failureOf(
  ports: CredentialPorts,
  credential: CredentialRecord,
  source: SourceSpec,
): Promise<FailureRecord | undefined> {
  const signal = AbortSignal.timeout(testTimeout);
  try {
    await ports.resolveSource(source, openCredential(ports.secrets, credential), signal);
    return undefined;
  } catch (error) {
    if (signal.aborted) {
      const message = `${credential.host} did not answer within ${testTimeout / 1000} s. Try again later.`;
      return { code: "source_unreachable", message };
    }
    if (!(error instanceof Failure)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** A shared credential, for administrators of its teamspace. @throws Failure credential_not_found */
async function sharedCredential({ catalog }: CredentialPorts, caller: Caller, id: string): Promise<CredentialRecord> {
  const credential = await catalog.credentials.get(id);
  if (!credential || credential.name === "" || !may(caller, "credentials", { teamspace: credential.teamspace }))
    throw credentialNotFound();
  return credential;
}

async function usedSource({ catalog }: CredentialPorts, caller: Caller, id: string): Promise<SourceSpec> {
  const [library] = visibleOf(caller, await catalog.libraries.usersOf([id]));
  if (library) return library.source;
  throw new Failure(
    "validation_error",
    "No library that you see uses the credential. Name an address to test it with.",
  );
}

function visibleOf(caller: Caller, libraries: readonly LibraryRecord[]): readonly LibraryRecord[] {
  return libraries.filter((library) => may(caller, "library.read", library));
}
