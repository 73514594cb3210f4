/** Why documents are left out before they are read. */
export type Omission = "names" | "tools" | "tests" | "old" | "changes" | "news" | "versions" | "translations";

/** Numbers of documents that were left out. */
export type Omitted = Map<Omission, number>;

const reasons: Readonly<Record<Omission, string>> = {
  names: "by name: change logs, licences, templates, notes for agents, data of programs",
  tools: "as files of tools, dependencies or builds: hidden folders, node_modules, dist and similar ones",
  tests: "as tests and their data",
  old: "as archived, deprecated or outdated by its folder",
  changes: "as change logs and release notes",
  news: "as news",
  versions: "for other versions",
  translations: "as translations of others",
};

/** Adds to the count of a reason. */
export function omit(omitted: Omitted | undefined, why: Omission, count = 1): void {
  if (count > 0) omitted?.set(why, (omitted.get(why) ?? 0) + count);
}

/** A sentence for each reason, the most frequent first. */
export function omissionNotes(omitted: Omitted): string[] {
  return [...omitted]
    .toSorted(([, one], [, other]) => other - one)
    .map(([why, count]) => `${count} ${count === 1 ? "document is" : "documents are"} left out ${reasons[why]}.`);
}
