import { confluenceKind, type ConfluenceCredential } from "./confluence.ts";
import { folderKind } from "./folder.ts";
import { gitKind, type GitCredential } from "./git.ts";
import { llmsTxtKind } from "./llmstxt.ts";
import { notionKind, type NotionCredential } from "./notion.ts";
import { openApiKind } from "./openapi.ts";
import { packageKind, type PackageSourceSpec } from "./package.ts";
import { uploadKind } from "./upload.ts";
import { websiteKind, type WebsiteCredential } from "./website.ts";
import type { SourceKind } from "./kind.ts";

export { confluenceTokens } from "./confluence.ts";
export type { ConfluenceCredential, ConfluenceSourceSpec } from "./confluence.ts";
export type { FolderSourceSpec } from "./folder.ts";
export type { GitCredential, GitSourceSpec } from "./git.ts";
export type { LlmsTxtSourceSpec } from "./llmstxt.ts";
export type { NotionCredential, NotionSourceSpec } from "./notion.ts";
export type { OpenApiSourceSpec } from "./openapi.ts";
export type { UploadSourceSpec } from "./upload.ts";
export { sourceTypeFacts, sourceTypes } from "./kind.ts";
export type { SourceType } from "./kind.ts";

export type { PackageSourceSpec };
export { websiteScopes } from "./website.ts";
export type { WebsiteCredential, WebsiteSourceSpec } from "./website.ts";

/** Every kind of source: one line each. Forms (`api/forms/`) and readers (`sources/`) have the same keys. */
export const kinds = {
  git: gitKind,
  folder: folderKind,
  llmstxt: llmsTxtKind,
  openapi: openApiKind,
  website: websiteKind,
  confluence: confluenceKind,
  notion: notionKind,
  package: packageKind,
  upload: uploadKind,
};

/** Name of a kind of source. */
export type Kind = keyof typeof kinds;

type SpecOf<K extends Kind> = (typeof kinds)[K] extends SourceKind<infer Spec> ? Spec : never;

/** A submitted source: kind, location and options. The credential is referred to by the library, never part of the spec. */
export type SourceSpec = { [K in Kind]: SpecOf<K> }[Kind];

/** The data of credentials, by kind; other kinds take none. */
interface Credentials {
  readonly git: GitCredential;
  readonly website: WebsiteCredential;
  readonly confluence: ConfluenceCredential;
  readonly notion: NotionCredential;
}

/** The data of a credential of a kind; never for a kind that takes none. */
export type CredentialOf<K extends Kind> = K extends keyof Credentials ? Credentials[K] : never;

/** The facts of a spec's kind. */
export function kindOf<Spec extends SourceSpec>(spec: Spec): SourceKind<Spec> {
  return kinds[spec.kind] as unknown as SourceKind<Spec>;
}

/** The kind of source that a credential is for. Those of the first versions were all for repositories, and have null. */
export function credentialKind({ kind }: { readonly kind: Kind | null }): Kind {
  return kind ?? "git";
}

/** The kind of source whose own credentials are in a field of a request body, such as `gitToken`; undefined for other fields. */
export function kindOfCredentialField(field: string): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind].credential?.field === field);
}

/** The package that a source is; undefined for other sources. */
export function packageOf(source: SourceSpec): PackageSourceSpec | undefined {
  return source.kind === "package" ? source : undefined;
}

/** The source as shown to all readers. */
export function labelOf(source: SourceSpec): string {
  const { label, location } = kindOf(source);
  return label?.(source) ?? location(source);
}

/** The branch or tag of the default version of a source; null: the default of the source. */
export function refOf(source: SourceSpec): string | null {
  return kindOf(source).ref?.(source) ?? null;
}

export function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}
