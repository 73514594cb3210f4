import type { FailureCode } from "../failures.ts";
import type { Work } from "../queues.ts";

/** What every source spec has: its kind, and options as plain data. Credentials are never among them. */
export interface AnySpec {
  readonly kind: string;
}

/** An anchor on a page: lines from 1, both included, or the fragment of the heading that something stands under. */
export interface Anchor {
  readonly lines?: readonly [first: number, last: number];
  readonly fragment?: string;
}

/** The groups of sources that a policy allows or not, by the names of the published API. */
export const sourceTypes = [
  "public_repos",
  "private_sources",
  "confluence",
  "uploaded_files",
  "websites",
  "llmstxt",
] as const;
export type SourceType = (typeof sourceTypes)[number];

/** A source that its host has moved. */
export interface MovedSource {
  /** The known location. */
  readonly from: string;
  /** The new one. */
  readonly to: string;
  /** The library's new ID, if the ID was derived from the location and changes with it; else null. */
  readonly id: string | null;
}

/** The facts of a kind of source: pure, and the only place where the program knows what is special about the kind. */
export interface SourceKind<Spec extends AnySpec> {
  readonly kind: Spec["kind"];
  /** What it is to policies, if its library is public: private ones are `private_sources` too (`domain/policy-facts.ts`). */
  sourceType(spec: Spec): SourceType;
  /** First segment of its library IDs; null: IDs are `/owner/name` of anything that is not reserved. */
  idPrefix(spec: Spec): string | null;
  /** The library ID that follows from the spec, or from the title of a source without an address. @throws Failure validation_error */
  deriveId(spec: Spec, title: string): string;
  /** Source as those see it who may change its library. */
  location(spec: Spec): string;
  /** The same source at another location. */
  at(spec: Spec, location: string): Spec;
  /** True if keys of pages are paths in a tree, and lines of files mean something to a reader. */
  readonly hasPaths: boolean;
  /** What a content hash goes by: the order of the source, or that of the keys if pages come in any order. */
  readonly order: "source" | "key";
  /** Host that is fetched from, for limits per host; null: none. */
  host(spec: Spec): string | null;
  /** Address of a place on a page. */
  address(spec: Spec, pageUrl: string, anchor: Anchor): string;

  // Optional: the default of each is in its comment.

  /** Source as everybody may see it; absent: its location. */
  label?(spec: Spec): string;
  /** True if locations and page addresses name places on the server's disk, which only those see who may change the library. */
  readonly onDisk?: true;
  /** True if its libraries always belong to a teamspace, whatever a submission says: what its pages say is for nobody else. */
  readonly teamspaceOnly?: true;
  /** The credentials that its libraries can have; absent: none. */
  readonly credential?: CredentialFacts<Spec>;
  /** Branch or tag of the default version; absent or null: what the source has as default. */
  ref?(spec: Spec): string | null;
  /** The part of the spec that decides what is extracted from a given revision; absent: all of it. */
  hashed?(spec: Spec): unknown;
  /** CSS selectors of what is no content of its pages; absent: none. */
  unwanted?(spec: Spec): readonly string[];
  /** The folder of a shared tree that is the library's own; absent or "": all of it. */
  ownFolder?(spec: Spec): string;
  /** Address of the repository that it is, as `repositoryAddress` has it; absent or undefined: it is none. */
  repository?(spec: Spec): string | undefined;
  /** True if answers name the version that they come from, also where it is the default one. */
  readonly namesVersion?: true;
  /** True if the submitted title comes before that of the source's README. */
  readonly keepsTitle?: true;
  /** Another source that may have what was not found here, as a sentence; absent or undefined: none. */
  elsewhere?(spec: Spec): string | undefined;
  /**
   * What it means that the source was found at another address than the known one; absent or null: nothing. `ids` are those that
   * the known address may have given: the library's own, and such as an administrator has not accepted.
   */
  moved?(ids: readonly string[], spec: Spec, location: string): MovedSource | null;
  /** Failure code of a submission whose ID exists; absent: `duplicate_library`. */
  readonly duplicate?: FailureCode;
  /** Queue and timeout of `collect`; absent: those of `stepPolicies`. */
  readonly work?: Work;
}

/** Whom a credential is for: it is sent to nobody else. */
export interface Audience {
  readonly host: string;
  /** Whose part of the host, where one host serves many; absent: all of it. */
  readonly tenant?: string;
}

/** The facts of a kind's credentials. */
export interface CredentialFacts<Spec extends AnySpec> {
  /** Field of a body with what the library's own holds, by which error sentences call it too. */
  readonly field: string;
  /** Whom one for this source is for. */
  audience(spec: Spec): Audience;
  /**
   * The IDs that would be derived from every place that is read with a credential, whatever ID was chosen; null where a place
   * gives none. A key that is limited by patterns has to be for all of them to use a shared credential.
   */
  ids(spec: Spec): readonly string[] | null;
  /** True if nothing is read without one: a submission that names none gets the teamspace's own for its audience. */
  readonly needed?: true;
  /** What of its data is secret, and is struck from whatever a source says; absent: every text. */
  secrets?(data: object): readonly string[];
  /** When one stops working, in milliseconds since 1970, as its data say; absent or null: it is not known to end. */
  expires?(data: object): number | null;
}

/** The address of the heading that something stands under. A page that is cut out of a file has a fragment already. */
export function fragmentAddress(_spec: AnySpec, pageUrl: string, { fragment }: Anchor): string {
  return fragment === undefined || pageUrl.includes("#") ? pageUrl : `${pageUrl}#${fragment}`;
}
