import { folderKind } from "./folder.ts";
import { gitKind } from "./git.ts";
import { llmsTxtKind } from "./llmstxt.ts";
import type { SourceKind } from "./kind.ts";

export type { FolderSourceSpec } from "./folder.ts";
export type { GitSourceSpec } from "./git.ts";
export type { LlmsTxtSourceSpec } from "./llmstxt.ts";

/** Every kind of source: one line each. Forms (`api/forms/`) and readers (`activities/sources/`) have the same keys. */
export const kinds = {
  git: gitKind,
  folder: folderKind,
  llmstxt: llmsTxtKind,
};

/** Name of a kind of source. */
export type Kind = keyof typeof kinds;

type SpecOf<K extends Kind> = (typeof kinds)[K] extends SourceKind<infer Spec> ? Spec : never;

/** What was submitted: kind, location and options; a credential is referred to by the library, never held here. */
export type SourceSpec = { [K in Kind]: SpecOf<K> }[Kind];

/** The facts of a spec's kind. */
export function kindOf<Spec extends SourceSpec>(spec: Spec): SourceKind<Spec> {
  return kinds[spec.kind] as unknown as SourceKind<Spec>;
}

/** True for the name of a kind that this version knows. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}
