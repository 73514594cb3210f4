import type { GitSourceSpec } from "../../domain/kinds/index.ts";
import type { FileSelection } from "../../domain/source.ts";

/** The default selection of files. */
export const wholeTree: FileSelection = { folders: [], excludeFolders: null, excludeFiles: null };

/** The source spec of a repository on a generic git host. */
export function gitSpec(url: string, changes: Partial<GitSourceSpec> = {}): GitSourceSpec {
  return { kind: "git", host: "git", url, branch: null, selection: wholeTree, skipVersionFiltering: false, ...changes };
}
