/** Maximum number of examples of a package, and of lines of one: a longer file is a program. */
const maxExamples = 100;
const maxLines = 150;

const folders = /(?:^|\/)_?(?:examples?|samples?|demos?)\//i;
const code = /(?<!\.d)\.(?:[cm]?[jt]sx?|py|rs|go)$/;
/** Files in the folders of examples that are not examples. */
const others =
  /(?:^|\/)(?:tests?|__tests__|node_modules|vendor|build|dist|snapshots|\.[^/]*)\/|(?:_test\.go|[._]test\.[cm]?[jt]sx?|(?:__init__|setup|conftest)\.py|build\.rs|\.(?:config|setup)\.[cm]?[jt]s)$/;

/** Whether a file of a package is an example, by its path. */
export function isExample(path: string): boolean {
  return folders.test(path) && code.test(path) && !others.test(path);
}

/** The examples among paths, sorted. */
export function examplesOf(paths: readonly string[]): readonly string[] {
  return paths.filter(isExample).toSorted().slice(0, maxExamples);
}

/** Whether an example is short enough to be read. */
export function isShort(bytes: Uint8Array): boolean {
  let lines = 1;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return lines <= maxLines;
}
