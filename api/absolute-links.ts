import type { Passage } from "../domain/passage.ts";
import { findLinks } from "./markdown-links.ts";

/**
 * A passage with absolute links: a relative link gets its address at the source where that is known, else only its text is kept. Code stays as it is.
 */
export function withAbsoluteLinks(passage: Passage): Passage {
  const blocks = passage.blocks.map((block) => {
    if (block.type === "prose") return { ...block, markdown: relinked(block.markdown, passage) };
    return { ...block, description: relinked(block.description, passage) };
  });
  return { ...passage, blocks };
}

/** Maximum nesting of links: an image in the text of a link, or a mistake of an author. */
const maxDepth = 3;

function relinked(markdown: string, passage: Passage, depth = 0): string {
  if (depth > maxDepth || !/\]\((?!https?:\/\/)/.test(markdown)) return markdown;
  const inner = (stretch: readonly [number, number]): string =>
    relinked(markdown.slice(...stretch), passage, depth + 1);
  let served = "";
  let at = 0;
  for (const { start, text, target, end } of findLinks(markdown)) {
    const address = addressOf(markdown.slice(...target), passage);
    if (address === undefined) {
      // Only the text between the brackets is kept, with its own links resolved.
      served += markdown.slice(at, start) + inner(text);
    } else {
      const [before, between, behind] = [
        markdown.slice(at, text[0]),
        markdown.slice(text[1], target[0]),
        markdown.slice(target[1], end),
      ];
      served += `${before}${inner(text)}${between}${address}${behind}`;
    }
    at = end;
  }
  return served + markdown.slice(at);
}

/** The absolute address of a link of a page; undefined where it is unknown. */
function addressOf(link: string, { page, source }: Passage): string | undefined {
  if (/^(?:https?:\/\/|mailto:)./i.test(link)) return link;
  if (link === "" || link.startsWith("#") || (/^[a-z][a-z\d+.-]*:/i.test(link) && !link.startsWith("//")))
    return undefined;
  if (source.path === undefined) return URL.canParse(link, page.url) ? new URL(link, page.url).href : undefined;
  return inTree(link, page.url, source.path);
}

/** The address of a file in the page's tree; a link to anything else is one of the website that is built from the tree. */
function inTree(link: string, pageUrl: string, pagePath: string): string | undefined {
  const [, path = "", fragment = ""] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/.exec(link) ?? [];
  const [, ending = ""] = /[^/](\.[a-z\d]{1,8})$/i.exec(path) ?? [];
  const up = climb(path, pagePath.split("/").length - 1);
  if (path.startsWith("/") || ending === "" || /^\.x?html?$/i.test(ending) || up === undefined) return undefined;
  const [, place = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(pageUrl) ?? [];
  const folders = place.split("/").slice(0, -1);
  // The address of a wiki's page does not end like its file, so relative paths do not apply.
  if (!place.toLowerCase().endsWith(pagePath.slice(pagePath.lastIndexOf(".")).toLowerCase())) return undefined;
  return [...folders.slice(0, folders.length - up.folders), ...up.segments].join("/") + query + fragment;
}

/** The number of folders that a relative path goes up, and the path down from there; undefined where it leaves the tree. */
function climb(
  path: string,
  depth: number,
): { readonly folders: number; readonly segments: readonly string[] } | undefined {
  let folders = 0;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "." || segment === "") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) folders += 1;
  }
  return folders > depth ? undefined : { folders, segments };
}
