import type { GitSourceSpec } from "../../domain/kinds/index.ts";
import type { FileSelection } from "../../domain/source.ts";

/** A choice of files that leaves out nothing but what the defaults do. */
export const wholeTree: FileSelection = { folders: [], excludeFolders: null, excludeFiles: null };

/** A repository as its library's source, on a host of no known kind. */
export function gitSpec(url: string, changes: Partial<GitSourceSpec> = {}): GitSourceSpec {
  return { kind: "git", host: "git", url, branch: null, selection: wholeTree, skipVersionFiltering: false, ...changes };
}
