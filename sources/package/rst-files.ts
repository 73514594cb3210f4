/** Maximum number of documents in reStructuredText of a package. */
const maxFiles = 500;

const documents = /^(?:readme\.rst|docs?\/.{0,400}\.rst)$/i;
/** Documents for maintainers rather than users. */
const others =
  /(?:^|\/)(?:(?:changes|changelog|history|news|whats_?new|releases|release[-_]notes|authors|contributing|contributors|license|code[-_]of[-_]conduct|todo)(?:[-_.\d][^/]{0,40})?|(?:changelog|releases?|_templates|_themes|dev(?:elopment)?)\/.{0,300})\.rst$/i;

/** Whether a file of a package is a document in reStructuredText, by its path. */
export function isRst(path: string): boolean {
  return documents.test(path) && !others.test(path);
}

/** The documents in reStructuredText among paths: the README, then the others, sorted. */
export function rstOf(paths: readonly string[]): readonly string[] {
  const depth = (path: string): number => (path.includes("/") ? 1 : 0);
  return paths
    .filter(isRst)
    .toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
    .slice(0, maxFiles);
}
