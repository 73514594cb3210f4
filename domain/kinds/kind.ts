import type { FailureCode } from "../failures.ts";
import type { Work } from "../queues.ts";
import type { GitHost } from "../source.ts";

/** A source spec: its kind, and options as plain data, never credentials. */
export interface AnySpec {
  readonly kind: string;
}

/** An anchor on a page: lines from 1, inclusive, or the fragment of a heading. */
export interface Anchor {
  readonly lines?: readonly [first: number, last: number];
  readonly fragment?: string;
}

/**
 * The source types of policies, by the names of the published API: their names for people, and the types of a private library whose
 * source has the type.
 */
export const sourceTypeFacts = {
  public_repos: { label: "Public repositories", ofPrivate: ["private_sources"] },
  private_sources: { label: "Private sources", ofPrivate: ["private_sources"] },
  confluence: { label: "Confluence", ofPrivate: ["confluence"] },
  uploaded_files: { label: "Uploaded files", ofPrivate: ["private_sources", "uploaded_files"] },
  websites: { label: "Websites", ofPrivate: ["private_sources"] },
  llmstxt: { label: "llms.txt", ofPrivate: ["private_sources"] },
} as const;
export type SourceType = keyof typeof sourceTypeFacts;
export const sourceTypes = Object.keys(sourceTypeFacts) as readonly SourceType[];

/** The first segments of IDs that no repository may have, with the source type of such a library of another server. */
export const idPrefixes = {
  websites: "websites",
  llmstxt: "llmstxt",
  docs: "uploaded_files",
  openapi: "public_repos",
  confluence: "confluence",
  notion: "private_sources",
  packages: "public_repos",
  npm: "public_repos",
  pypi: "public_repos",
  crates: "public_repos",
} as const satisfies Readonly<Record<string, SourceType>>;
export type IdPrefix = keyof typeof idPrefixes;

/** Whether IDs of a kind of source begin with a segment, which is in lower case. */
export function isIdPrefix(segment: string): segment is IdPrefix {
  return Object.hasOwn(idPrefixes, segment);
}

/** A source that moved on its host. */
export interface MovedSource {
  /** The previous location. */
  readonly from: string;
  /** The new location. */
  readonly to: string;
  /** The library's new ID, if the ID derives from the location; else null. */
  readonly id: string | null;
}

/** The facts of a kind of source: pure, and the only place for what is special about a kind. */
export interface SourceKind<Spec extends AnySpec> {
  readonly kind: Spec["kind"];
  /** Its source type for policies, if the library is public. */
  sourceType(spec: Spec): SourceType;
  /** First segment of its library IDs; null: IDs are `/owner/name`. */
  idPrefix(spec: Spec): IdPrefix | null;
  /** Derives the library ID from the spec, or from the title of a source without an address. @throws Failure validation_error */
  deriveId(spec: Spec, title: string): string;
  /** The source as shown to those who may change its library. */
  location(spec: Spec): string;
  /** The same source at another location. */
  at(spec: Spec, location: string): Spec;
  /** Page keys are paths in a tree, and lines of files mean something to a reader. */
  readonly hasPaths: boolean;
  /** The order of pages in the content hash: that of the source, or by key if the source has no order. */
  readonly order: "source" | "key";
  /** Host that it is fetched from, for limits per host; null: none. */
  host(spec: Spec): string | null;
  /** Address of a place on a page. */
  address(spec: Spec, pageUrl: string, anchor: Anchor): string;

  // Optional: the default of each is in its comment.

  /** The source as shown to all readers; absent: its location. */
  label?(spec: Spec): string;
  /** Locations and page addresses are paths on the server's disk, shown only to those who may change the library. */
  readonly onDisk?: true;
  /** Its pages are internal, so its libraries always belong to a teamspace. */
  readonly teamspaceOnly?: true;
  /** Its credentials; absent: it takes none. */
  readonly credential?: CredentialFacts<Spec>;
  /** Branch or tag of the default version; absent or null: the default of the source. */
  ref?(spec: Spec): string | null;
  /** The part of the spec that decides what is extracted from a given revision; absent: all of it. */
  hashed?(spec: Spec): unknown;
  /** CSS selectors of elements of its pages that are not content; absent: none. */
  unwanted?(spec: Spec): readonly string[];
  /** Its pages may all have the same menus and footers, which are left out. */
  readonly repeatsMenus?: true;
  /** The library's own folder in a shared tree; absent or "": the whole tree. */
  ownFolder?(spec: Spec): string;
  /** Its repository address in canonical form (`repositoryAddress`); absent or undefined: it is not a repository. */
  repository?(spec: Spec): string | undefined;
  /** Answers name the version that they come from, the default one too. */
  readonly namesVersion?: true;
  /** The submitted title takes precedence over that of the README. */
  readonly keepsTitle?: true;
  /** Where else documentation may be, as a sentence; absent or undefined: unknown. */
  elsewhere?(spec: Spec): string | undefined;
  /** The move that a redirect to `location` means; absent or null: none. `ids` are the library's current and pending IDs. */
  moved?(ids: readonly string[], spec: Spec, location: string): MovedSource | null;
  /** Failure code of a submission whose ID exists; absent: `duplicate_library`. */
  readonly duplicate?: FailureCode;
  /** Who is asked for the facts of its trust score; absent: nobody, so there is no score. */
  reputation?(spec: Spec): ReputationSource;
  /** Its unused versions are removed, as they can be indexed again on request, except the one that the spec names; null: it names none. */
  readonly unusedVersions?: { named(spec: Spec): string | null };
  /** Queue and timeout of `collect`; absent: those of `stepPolicies`. */
  readonly work?: Work;
}

/** Who is asked for the facts of a trust score: a Git host, a package registry, or for a website the repositories that name it. */
export type ReputationSource =
  | { readonly from: "host"; readonly repository: { readonly host: GitHost; readonly url: string } }
  | { readonly from: "registry" }
  | { readonly from: "repositories"; readonly url: string };

/** The only recipient of a credential. */
export interface Audience {
  readonly host: string;
  /** The tenant on a host that serves several; absent: the whole host. */
  readonly tenant?: string;
}

/** The facts of a kind's credentials. */
export interface CredentialFacts<Spec extends AnySpec> {
  /** Field of a request body with the data of a library's own credential, also named in messages. */
  readonly field: string;
  /** The audience of a credential for a source. */
  audience(spec: Spec): Audience;
  /**
   * The IDs that derive from all locations that are read with a credential; null: one gives none. To use a shared credential, the
   * patterns of a key have to match all of them.
   */
  ids(spec: Spec): readonly string[] | null;
  /**
   * The source needs a credential: a submission without one gets the teamspace's for its audience. Returns members of a request
   * that creates one, with `…` as placeholder, and sentences of advice; undefined: it needs none.
   */
  needed?(spec: Spec): { readonly host: string; readonly data: object; readonly advice?: string } | undefined;
  /**
   * Reading checks that a token is for the tenant of the source, so a missing tenant of the credential or the source matches any;
   * absent: tenants have to be equal.
   */
  readonly checksTenant?: true;
  /** The secrets in its data, which are redacted from messages of the source; absent: all strings. */
  secrets?(data: object): readonly string[];
  /** When it expires, in milliseconds since 1970, by its data; absent or null: unknown. */
  expires?(data: object): number | null;
}

/** The address of a heading. A page that is a section of a file already has a fragment. */
export function fragmentAddress(_spec: AnySpec, pageUrl: string, { fragment }: Anchor): string {
  return fragment === undefined || pageUrl.includes("#") ? pageUrl : `${pageUrl}#${fragment}`;
}
