import { mayReach as isForLibrary, type Caller } from "./access.ts";
import { may } from "./authorizing.ts";
import { day, dayOf } from "./days.ts";
import { Failure, isFailure } from "./failures.ts";
import { credentialKind, kindOf, kinds, type SourceSpec } from "./kinds/index.ts";
import type { Audience, CredentialFacts } from "./kinds/kind.ts";
import type { Catalog, CredentialRecord, LibraryRecord, Secrets } from "./ports.ts";

/** The ports that sealing and choosing credentials needs. */
export interface SealingPorts {
  readonly catalog: Catalog;
  readonly secrets: Secrets;
  /** Checks that a token may be sent to an address. @throws Failure address_not_allowed over plain http, except to hosts of FETCH_ALLOW */
  readonly checkToken: (url: URL) => Promise<void>;
  /** A new ID that sorts by time: for a run, a library, a credential. */
  readonly newId: () => string;
  readonly now: () => number;
}

/** The credential in a request: the data of a library's own, or the ID of a shared one. */
export type CredentialChoice = { readonly data: object } | { readonly id: string };

/** Time before expiry at which a credential gets a warning, in milliseconds. */
const warnBefore = 30 * day;

/** The data of a credential. @throws Failure internal_error if the key ring lacks its key */
export function openCredential(secrets: Secrets, { kind, sealed }: CredentialRecord): object {
  const plain = secrets.open(sealed);
  return kind === null ? { token: plain } : (JSON.parse(plain) as object);
}

/** The data of a library's credential; null: none. @throws Failure source_refused if it may not be sent */
export async function credentialOf(
  { catalog, secrets }: Pick<SealingPorts, "catalog" | "secrets">,
  { id, source, credential: used }: Pick<LibraryRecord, "id" | "source" | "credential">,
): Promise<object | null> {
  if (used === null) return null;
  const credential = await catalog.credentials.get(used);
  if (credential && isCredentialFor(credential, source)) return openCredential(secrets, credential);
  const problem = credential ? `for ${audienceText(credential)} only` : "missing";
  const field = factsOf(source)?.field;
  const remedy = field === undefined ? "Submit it again" : `Refresh it with another: ${field}, or a shared one`;
  throw new Failure("source_refused", `The credential of ${id} is ${problem}. ${remedy}.`);
}

/** Calls `read`, and adds the name of the library's shared credential to a source_refused. @throws what `read` throws */
export async function namingCredential<T>(
  { catalog }: Pick<SealingPorts, "catalog">,
  { credential: used }: Pick<LibraryRecord, "credential">,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isFailure(error, "source_refused") || used === null) throw error;
    const name = (await catalog.credentials.get(used))?.name ?? "";
    if (name === "") throw error;
    const message = `${error.message} It was read with the credential "${name}".`;
    throw new Failure(error.code, message, { ...error.details, cause: error });
  }
}

/**
 * The credential for a source: a new one of the library's own, or a shared one of its teamspace ("": a public library).
 * @throws Failure validation_error if it does not fit, address_not_allowed if it may not be sent, credential_not_found,
 * access_denied if the patterns of the caller's key do not match
 */
export async function chooseCredential(
  ports: SealingPorts,
  caller: Caller,
  { source, teamspace }: Pick<LibraryRecord, "source" | "teamspace">,
  choice: CredentialChoice,
): Promise<{ readonly own: CredentialRecord } | { readonly shared: string }> {
  const { credential: facts, location, kind } = kindOf(source);
  if (!facts)
    throw new Failure("validation_error", `This kind of source takes no credential. Leave it out: ${kind} has none.`);
  const audience = facts.audience(source);
  await ports.checkToken(new URL(location(source)));
  if ("data" in choice) return { own: seal(ports, { teamspace, kind, name: "", ...audience, data: choice.data }) };
  const credential = await ports.catalog.credentials.get(choice.id);
  if (!credential || credential.name === "" || !may(caller, "credential.use", { teamspace: credential.teamspace }))
    throw credentialNotFound();
  const { name } = credential;
  if (teamspace !== credential.teamspace) {
    const message = `The credential "${name}" is for private libraries of its teamspace. Make the library one, or send ${facts.field}.`;
    throw new Failure("validation_error", message);
  }
  if (!isCredentialFor(credential, source)) {
    const message = `The credential "${name}" is for ${credential.kind ?? kind} on ${audienceText(credential)}, and the source is on ${audienceText(audience)}. Use a credential for that host.`;
    throw new Failure("validation_error", message);
  }
  requirePatterns(caller, name, source);
  return { shared: credential.id };
}

/**
 * The credential of a submission: the named one; else, for a kind that needs one, the teamspace's latest for the audience of
 * the source. Undefined: none.
 * @throws Failure forbidden if one is needed and the teamspace has none, and what `chooseCredential` throws
 */
export async function credentialFor(
  ports: SealingPorts,
  caller: Caller,
  library: Pick<LibraryRecord, "source" | "teamspace">,
  choice: CredentialChoice | undefined,
): Promise<Awaited<ReturnType<typeof chooseCredential>> | undefined> {
  if (choice) return chooseCredential(ports, caller, library, choice);
  const { source, teamspace } = library;
  const facts = factsOf(source);
  const needed = facts?.needed?.(source);
  if (!facts || needed === undefined) return undefined;
  const audience = facts.audience(source);
  const fitting = (await ports.catalog.credentials.list(teamspace)).filter((one) => isCredentialFor(one, source));
  // Credentials for exactly this tenant come first.
  const [best] = fitting.toSorted(
    (one, other) =>
      Number(isSameAudience(other, audience)) - Number(isSameAudience(one, audience)) ||
      other.createdAt - one.createdAt,
  );
  if (best) return chooseCredential(ports, caller, library, { id: best.id });
  const { host, data, advice = "docs/guides/add-a-source.md says how to make the token." } = needed;
  const { tenant } = audience;
  const body = { kind: source.kind, name: "…", host, ...(tenant !== undefined && { tenant }), data };
  throw new Failure(
    "forbidden",
    `The teamspace "${teamspace}" has no credential for ${audienceText(audience)}. An administrator of it adds one: POST /api/v2/credentials with ${JSON.stringify(body)}. ${advice}`,
  );
}

/** The owner of a submitted library; "" for a public one. @throws Failure forbidden if it needs an owner and the caller has no teamspace */
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

/** When a credential expires, in milliseconds since 1970; null: unknown. */
export function expiryOf({ secrets }: Pick<SealingPorts, "secrets">, credential: CredentialRecord): number | null {
  if (credential.expiresAt !== undefined) return credential.expiresAt;
  const { expires }: Partial<CredentialFacts<SourceSpec>> = kinds[credentialKind(credential)].credential ?? {};
  return expires === undefined ? null : expires(openCredential(secrets, credential));
}

/** When the first credential expires or has expired, in milliseconds since 1970; null: no expiry is known. */
export async function firstExpiry(ports: Pick<SealingPorts, "catalog" | "secrets">): Promise<number | null> {
  const times = (await ports.catalog.credentials.all()).map((one) => expiryOf(ports, one));
  return times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null);
}

/** Advice for a credential that expires soon, or has expired, as a sentence; undefined: none. */
export function expiryWarning({ name }: CredentialRecord, expires: number | null, now: number): string | undefined {
  if (expires === null || expires - now > warnBefore) return undefined;
  const subject = name === "" ? "The library's own credential" : `The credential "${name}"`;
  const when = dayOf(expires);
  const verb = expires <= now ? "stopped working on" : "stops working on";
  return `${subject} ${verb} ${when}. Make a new token, add it as a credential, and refresh its libraries with that.`;
}

/** Notes on a library's credential: that it expires soon, or has expired. */
export async function credentialNotes(
  ports: Pick<SealingPorts, "catalog" | "secrets" | "now">,
  { credential: used }: Pick<LibraryRecord, "credential">,
): Promise<readonly string[]> {
  if (used === null) return [];
  const credential = await ports.catalog.credentials.get(used);
  const warning = credential && expiryWarning(credential, expiryOf(ports, credential), ports.now());
  return warning === undefined ? [] : [warning];
}

/**
 * Checks that the patterns of a key allow reading a source with a shared credential: they have to match the IDs that derive
 * from its address, as a chosen ID can be anything. @throws Failure access_denied
 */
function requirePatterns(caller: Caller, name: string, source: SourceSpec): void {
  if (caller.libraries.length === 0) return;
  const ids = factsOf(source)?.ids(source) ?? null;
  const outside = ids?.find((id) => !isForLibrary(caller, id));
  if (ids !== null && outside === undefined) return;
  const because = outside === undefined ? "whose address gives no ID" : `which is ${outside} by its address`;
  const message = `Your key is limited to ${caller.libraries.join(", ")}, and so not for the credential "${name}" on this source, ${because}. Ask an administrator.`;
  throw new Failure("access_denied", message);
}

/**
 * Whether a credential may be sent to the host of a source, and is for its tenant there. It is the only check, and nothing that
 * a source says changes its result.
 */
export function isCredentialFor(given: Pick<CredentialRecord, "kind"> & Audience, source: SourceSpec): boolean {
  const facts = factsOf(source);
  if (!facts || credentialKind(given) !== source.kind) return false;
  const audience = facts.audience(source);
  const isAny = facts.checksTenant === true && (given.tenant === undefined || audience.tenant === undefined);
  return isAny ? given.host === audience.host : isSameAudience(given, audience);
}

/** Whether two audiences are equal. The whole host is another audience than one of its tenants. */
export function isSameAudience(one: Audience, other: Audience): boolean {
  return one.host === other.host && one.tenant === other.tenant;
}

/** An audience for messages. */
export function audienceText({ host, tenant }: Audience): string {
  return tenant === undefined ? host : `${tenant} on ${host}`;
}

/**
 * Checks that a library may still use its credential after a change of its source. @throws Failure validation_error for
 * another host, access_denied if the patterns of the caller's key do not match
 */
export async function checkChanged(
  { catalog }: Pick<SealingPorts, "catalog">,
  caller: Caller,
  { id, credential: used }: LibraryRecord,
  source: SourceSpec,
): Promise<void> {
  const credential = used === null ? undefined : await catalog.credentials.get(used);
  if (!credential) return;
  if (!isCredentialFor(credential, source))
    throw new Failure(
      "validation_error",
      `The credential of ${id} is for ${audienceText(credential)} only. Leave the host.`,
    );
  if (credential.name !== "") requirePatterns(caller, credential.name, source);
}

function factsOf(source: SourceSpec): CredentialFacts<SourceSpec> | undefined {
  return kindOf(source).credential;
}

/** A credential with encrypted data. */
export function seal(
  { secrets, newId, now }: SealingPorts,
  { data, ...same }: Omit<CredentialRecord, "id" | "sealed" | "createdAt"> & { readonly data: object },
): CredentialRecord {
  return { id: newId(), ...same, sealed: secrets.seal(JSON.stringify(data)), createdAt: now() };
}

/** credential_not_found, with the same message for a missing credential and one of another teamspace. */
export function credentialNotFound(): Failure {
  return new Failure(
    "credential_not_found",
    "There is no credential with this ID. List the credentials to see theirs.",
  );
}
