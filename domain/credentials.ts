import { isFor as isForLibrary } from "./access.ts";
import type { Caller } from "./access.ts";
import { authorize, may } from "./authorizing.ts";
import { Failure, failures } from "./failures.ts";
import type { FailureRecord } from "./failures.ts";
import { kindOf, kinds } from "./kinds/index.ts";
import type { Kind, SourceSpec } from "./kinds/index.ts";
import type { Audience, CredentialFacts } from "./kinds/kind.ts";
import type { Catalog, CredentialRecord, LibraryRecord, Secrets } from "./ports.ts";

/** What sealing and choosing credentials needs of the world. */
interface SealingPorts {
  readonly catalog: Catalog;
  readonly secrets: Secrets;
  /** Checks that a token may be sent to an address. @throws Failure address_not_allowed over plain http, except to hosts of FETCH_ALLOW */
  readonly checkToken: (url: URL) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
}

/** What deciding about shared credentials needs of the world. */
export interface CredentialPorts extends SealingPorts {
  /** Finds the source's revision as a run does, with what a credential of its kind holds. @throws Failure */
  readonly resolveSource: (source: SourceSpec, credential: object, signal: AbortSignal) => Promise<unknown>;
}

/** What a submission or a refresh says of the credential: what the library's own is to hold, or the ID of a shared one. */
export type CredentialChoice = { readonly data: object } | { readonly id: string };

/** A shared credential to be made. `data` is of the form that the kind declares. */
export interface NewCredential {
  readonly teamspace: string;
  readonly kind: Kind;
  readonly name: string;
  readonly host: string;
  /** Whose part of the host, where one host serves many. */
  readonly tenant?: string;
  readonly data: object;
  /** What it is tried with before it is kept; absent: nothing. */
  readonly trial?: SourceSpec;
}

/** A shared credential, and who uses it. */
export interface CredentialView {
  readonly credential: CredentialRecord;
  /** Those that the caller sees. */
  readonly libraries: readonly LibraryRecord[];
  /** All of them. */
  readonly uses: number;
  /** When it stops working, in milliseconds since 1970; null: that is not known. */
  readonly expires: number | null;
  /** What is to be known of it: that it ends soon, or that its host was out of reach when it was to be tried; absent: nothing. */
  readonly warning?: string;
}

/** For how long a test waits for the host, in milliseconds. */
const testTimeout = 20_000;

const day = 86_400_000;
/** For so long before its day people are warned of a credential that ends, in milliseconds. */
const warnBefore = 30 * day;

/** What a credential holds. @throws Failure internal_error where no key fits */
export function openCredential(secrets: Secrets, { kind, sealed }: CredentialRecord): object {
  const plain = secrets.open(sealed);
  return kind === null ? { token: plain } : (JSON.parse(plain) as object);
}

/** What a library's credential holds; null where it has none. @throws Failure source_refused where it may not be sent */
export async function credentialOf(
  { catalog, secrets }: Pick<SealingPorts, "catalog" | "secrets">,
  { id, source, credential: used }: Pick<LibraryRecord, "id" | "source" | "credential">,
): Promise<object | null> {
  if (used === null) return null;
  const credential = await catalog.credentials.get(used);
  if (credential && isFor(credential, source)) return openCredential(secrets, credential);
  const problem = credential ? `for ${toWhom(credential)} only` : "missing";
  const remedy = facts(source) ? `Refresh it with another: ${facts(source)?.field}, or a shared one` : "Submit it anew";
  throw new Failure("source_refused", `The credential of ${id} is ${problem}. ${remedy}.`);
}

/**
 * Reads a library's source: where that is refused, the failure names the shared credential that it was read with.
 * @throws what `read` throws
 */
export async function namingCredential<T>(
  { catalog }: Pick<SealingPorts, "catalog">,
  { credential: used }: Pick<LibraryRecord, "credential">,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "source_refused" || used === null) throw error;
    const name = (await catalog.credentials.get(used))?.name ?? "";
    if (name === "") throw error;
    const message = `${error.message} It was read with the credential "${name}".`;
    throw new Failure(error.code, message, { ...error.details, cause: error });
  }
}

/**
 * The credential that a source is to be read with: a new one of the library's own, or a shared one of the library's
 * teamspace. `teamspace` is the library's owner, "" for a public one.
 * @throws Failure validation_error where it does not fit, address_not_allowed where it may not be sent, credential_not_found,
 * access_denied where the caller's key is limited to others
 */
export async function chooseCredential(
  ports: SealingPorts,
  caller: Caller,
  { source, teamspace }: Pick<LibraryRecord, "source" | "teamspace">,
  choice: CredentialChoice,
): Promise<{ readonly own: CredentialRecord } | { readonly shared: string }> {
  const { credential: taken, location, kind } = kindOf(source);
  if (!taken)
    throw new Failure("validation_error", `This kind of source takes no credential. Leave it out: ${kind} has none.`);
  const audience = taken.audience(source);
  await ports.checkToken(new URL(location(source)));
  if ("data" in choice) return { own: seal(ports, { teamspace, kind, name: "", ...audience, data: choice.data }) };
  const credential = await ports.catalog.credentials.get(choice.id);
  if (!credential || credential.name === "" || !may(caller, "credential.use", { teamspace: credential.teamspace }))
    throw credentialNotFound();
  const { name } = credential;
  if (teamspace !== credential.teamspace) {
    const message = `The credential "${name}" is for private libraries of its teamspace. Make the library one, or send ${taken.field}.`;
    throw new Failure("validation_error", message);
  }
  if (!isFor(credential, source)) {
    const message = `The credential "${name}" is for ${credential.kind ?? kind} on ${toWhom(credential)}, and the source is on ${toWhom(audience)}. Use a credential for that host.`;
    throw new Failure("validation_error", message);
  }
  requirePatterns(caller, name, source);
  return { shared: credential.id };
}

/**
 * The credential of a submission: what it names, else, of a kind that reads nothing without one, that which the teamspace made
 * last for the audience of the source. Undefined: it has none.
 * @throws Failure forbidden where one is needed and the teamspace has none, and what `chooseCredential` throws
 */
export async function credentialFor(
  ports: SealingPorts,
  caller: Caller,
  library: Pick<LibraryRecord, "source" | "teamspace">,
  choice: CredentialChoice | undefined,
): Promise<Awaited<ReturnType<typeof chooseCredential>> | undefined> {
  if (choice) return chooseCredential(ports, caller, library, choice);
  const { source, teamspace } = library;
  const taken = facts(source);
  if (taken?.needed !== true) return undefined;
  const fitting = (await ports.catalog.credentials.list(teamspace)).filter((one) => isFor(one, source));
  const last = fitting.toSorted((one, other) => other.createdAt - one.createdAt)[0];
  if (last) return chooseCredential(ports, caller, library, { id: last.id });
  const { host, tenant } = taken.audience(source);
  const whose = tenant === undefined ? "" : `, "tenant": ${JSON.stringify(tenant)}`;
  throw new Failure(
    "forbidden",
    `The teamspace "${teamspace}" has no credential for ${toWhom({ host, ...(tenant !== undefined && { tenant }) })}. An administrator of it adds one: POST /api/v2/credentials with {"kind": "${source.kind}", "host": "${host}"${whose}, "name": …, "data": …}. docs/sources.md says how to make the token.`,
  );
}

/** The teamspace that a submission's library belongs to; "" for a public one. @throws Failure forbidden where it has to have one */
export function ownerOf(
  caller: Caller,
  submission: { readonly source: SourceSpec; readonly private: boolean },
): string {
  const isOwned = kindOf(submission.source).teamspaceOnly === true;
  if (!submission.private && !isOwned) return "";
  if (isOwned && caller.teamspace === null)
    throw new Failure("forbidden", "Libraries of this kind belong to a teamspace. Send a key that belongs to one.");
  return caller.teamspace ?? "";
}

/** When a credential stops working, in milliseconds since 1970, as far as it says so; null: that is not known. */
function expiryOf({ secrets }: Pick<SealingPorts, "secrets">, credential: CredentialRecord): number | null {
  const { expires }: Partial<CredentialFacts<SourceSpec>> = kinds[credential.kind ?? "git"].credential ?? {};
  return expires === undefined ? null : expires(openCredential(secrets, credential));
}

/** What is to be done about a credential that ends soon, or has ended, as a sentence; undefined: nothing. `now` is in milliseconds since 1970. */
function expiryWarning({ name }: CredentialRecord, expires: number | null, now: number): string | undefined {
  if (expires === null || expires - now > warnBefore) return undefined;
  const what = name === "" ? "The library's own credential" : `The credential "${name}"`;
  const when = new Date(expires).toISOString().slice(0, 10);
  const verb = expires <= now ? "stopped working on" : "stops working on";
  return `${what} ${verb} ${when}. Make a new token, add it as a credential, and refresh its libraries with that.`;
}

/** What is to be known of a library's credential, in sentences: that it ends soon, or has ended. */
export async function credentialNotes(
  ports: Pick<SealingPorts, "catalog" | "secrets" | "now">,
  { credential: used, source }: Pick<LibraryRecord, "credential" | "source">,
): Promise<readonly string[]> {
  if (used === null || facts(source)?.expires === undefined) return [];
  const credential = await ports.catalog.credentials.get(used);
  const warning = credential && expiryWarning(credential, expiryOf(ports, credential), ports.now());
  return warning === undefined ? [] : [warning];
}

/**
 * Patterns of a key say what it may read, so they hold for what a shared credential opens to it as well: a chosen ID, which
 * may be any, is not asked. @throws Failure access_denied
 */
function requirePatterns(caller: Caller, name: string, source: SourceSpec): void {
  if (caller.libraries.length === 0) return;
  const ids = facts(source)?.ids(source) ?? null;
  const outside = ids?.find((id) => !isForLibrary(caller, id));
  if (ids !== null && outside === undefined) return;
  const because = outside === undefined ? "whose address gives no ID" : `which is ${outside} by its address`;
  const message = `Your key is limited to ${caller.libraries.join(", ")}, and so not for the credential "${name}" on this source, ${because}. Ask an administrator.`;
  throw new Failure("access_denied", message);
}

/**
 * True where a credential may be sent to a source's host, and is for its tenant there: what a source says changes nothing about
 * that. This is the only check of it.
 */
export function isFor({ kind, ...given }: Pick<CredentialRecord, "kind"> & Audience, source: SourceSpec): boolean {
  const audience = facts(source)?.audience(source);
  return (kind ?? "git") === source.kind && audience !== undefined && isSame(given, audience);
}

/** Whether two audiences are the same: one for a tenant is for no other, nor for all of the host. */
export function isSame(one: Audience, other: Audience): boolean {
  return one.host === other.host && one.tenant === other.tenant;
}

function toWhom({ host, tenant }: Audience): string {
  return tenant === undefined ? host : `${tenant} on ${host}`;
}

/**
 * Checks that a library whose options change may still be read with its credential. @throws Failure validation_error where that
 * is for another host, access_denied where the caller's key is limited to others
 */
export async function checkChanged(
  { catalog }: Pick<SealingPorts, "catalog">,
  caller: Caller,
  { id, credential: used }: LibraryRecord,
  source: SourceSpec,
): Promise<void> {
  const credential = used === null ? undefined : await catalog.credentials.get(used);
  if (!credential) return;
  if (!isFor(credential, source))
    throw new Failure("validation_error", `The credential of ${id} is for ${toWhom(credential)} only. Leave the host.`);
  if (credential.name !== "") requirePatterns(caller, credential.name, source);
}

function facts(source: SourceSpec): CredentialFacts<SourceSpec> | undefined {
  return kindOf(source).credential;
}

/**
 * Makes a shared credential, of some kinds once its host has accepted it.
 * @throws Failure duplicate_credential, validation_error without the teamspace, what the host says where it does not accept it, and what
 * `authorize` throws
 */
export async function makeCredential(
  ports: CredentialPorts,
  caller: Caller,
  wanted: NewCredential,
): Promise<CredentialView> {
  const { teamspace, kind, name } = wanted;
  authorize(caller, "credentials", { teamspace });
  const credential = seal(ports, wanted);
  const refused = wanted.trial && (await tried(ports, credential, wanted.trial));
  if (refused && !failures[refused.code].retryable) throw new Failure(refused.code, refused.message);
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
  if (refused === undefined) return view;
  return { ...view, warning: `It was kept, but could not be tried: ${refused.message}` };
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
  const { name, kind } = await sharedCredential(ports, caller, id);
  const uses = await ports.catalog.credentials.remove(id);
  if (uses === undefined) throw credentialNotFound();
  if (uses === 0) return;
  const own = kinds[kind ?? "git"].credential?.field;
  const message = `${uses === 1 ? "1 library uses" : `${uses} libraries use`} the credential "${name}". Delete them, or refresh them with another credential${own === undefined ? "" : ` or ${own}`}.`;
  throw new Failure("credential_in_use", message);
}

/**
 * Finds the revision of a source with a shared credential. `sourceOf` makes the source of the kind that is to be asked; null:
 * that of a library which uses the credential. The answer is the failure; undefined: the host accepts the credential.
 * @throws Failure credential_not_found, validation_error where there is no source, or it is on another host
 */
export async function testCredential(
  ports: CredentialPorts,
  caller: Caller,
  id: string,
  sourceOf: ((kind: Kind) => SourceSpec) | null,
): Promise<{ readonly source: SourceSpec; readonly failure: FailureRecord | undefined }> {
  const credential = await sharedCredential(ports, caller, id);
  const source = sourceOf?.(credential.kind ?? "git") ?? (await usedSource(ports, caller, id));
  if (!isFor(credential, source)) {
    const message = `The credential "${credential.name}" is for ${toWhom(credential)} only. Name an address on that host.`;
    throw new Failure("validation_error", message);
  }
  return { source, failure: await tried(ports, credential, source) };
}

/** Why a source cannot be read with a credential; undefined: it can. */
async function tried(
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

/** The shared credential of an ID, for those who administer its teamspace. @throws Failure credential_not_found */
async function sharedCredential({ catalog }: CredentialPorts, caller: Caller, id: string): Promise<CredentialRecord> {
  const found = await catalog.credentials.get(id);
  if (!found || found.name === "" || !may(caller, "credentials", { teamspace: found.teamspace }))
    throw credentialNotFound();
  return found;
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

function seal(
  { secrets, newId, now }: SealingPorts,
  { data, trial: _trial, ...same }: NewCredential,
): CredentialRecord {
  return { id: newId(), ...same, sealed: secrets.seal(JSON.stringify(data)), createdAt: now() };
}

/** The same words whether it is missing or another teamspace's. */
function credentialNotFound(): Failure {
  return new Failure(
    "credential_not_found",
    "There is no credential with this ID. GET /api/v2/credentials lists them.",
  );
}
