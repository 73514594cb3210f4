import { createFileSelector } from "../../../sources/lib/tree/select-files.ts";
import type { FileSelection } from "../../../domain/source.ts";

interface Choice extends Partial<FileSelection> {
  readonly skipVersionFiltering?: boolean;
  readonly within?: string;
}

/** The files of a tree that are read. */
export function select(
  paths: readonly string[],
  { skipVersionFiltering = false, within = "lib", ...selection }: Choice = {},
): string[] {
  const whole = { folders: [], excludeFolders: null, excludeFiles: null, ...selection };
  return createFileSelector(whole, { skipVersionFiltering, within, extensions: [".md", ".mdx", ".markdown", ".txt"] })(
    paths,
  );
}
