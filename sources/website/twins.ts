import { bareAddress } from "../../extract/llmstxt/full-file.ts";
import type { PageRef } from "../../domain/ports.ts";
import type { CrawlState } from "./crawl-state.ts";
import type { QueuedAddress } from "./outcomes.ts";

/** A key of `CrawlState.words` for a document: equal for the addresses of a page and of its Markdown. */
function documentOf(address: string): string {
  const { search, hash } = new URL(address);
  return `=${bareAddress(address)}${search}${hash}`;
}

function isMarkdown(address: string): boolean {
  return /\.mdx?$/i.test(new URL(address).pathname);
}

/** Joins the addresses of one document in the level: a page is visited with the address of its Markdown, and that not by itself. */
export function joinTwins(state: Pick<CrawlState, "level" | "words">): void {
  const isGuess = ({ key, markdown }: QueuedAddress): boolean => markdown !== undefined || isMarkdown(key);
  const groups = Map.groupBy(state.level, ({ key }) => documentOf(key));
  state.level = state.level.flatMap((target): readonly QueuedAddress[] => {
    const name = documentOf(target.key);
    const group = groups.get(name) ?? [];
    const twin = group.find(isGuess);
    if (!isGuess(target)) {
      const markdown = twin && (twin.markdown ?? twin.key);
      return [markdown === undefined ? target : { ...target, markdown }];
    }
    const known = state.words.get(name);
    const isRead = isMarkdown(target.key) && known !== undefined && !isMarkdown(known);
    return isRead || group.some((other) => !isGuess(other)) || twin !== target ? [] : [target];
  });
}

/** The page that was read from the same document as a page that is read now; undefined for a new document. */
export function readBefore({ key, resource = key }: PageRef, words: CrawlState["words"]): string | undefined {
  const [own, source] = [documentOf(key), `=${resource}`];
  const same = [own, source].map((name) => words.get(name));
  const other = same.find(
    (one, at) => one !== undefined && one !== key && (at > 0 || isMarkdown(one) !== isMarkdown(key)),
  );
  if (other === undefined) for (const name of [own, source]) words.set(name, words.get(name) ?? key);
  return other;
}
