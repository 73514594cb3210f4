import type { Document } from "domhandler";
import { lineOf, walk } from "./tree.ts";

const separator = / (?:[|·•«»‹›–—]|-|::) /;

/** Reads the head of a page, before it is cleaned. */
export function readHead(page: Document) {
  const metas = new Map<string, string>();
  let title = "";
  let heading = "";
  let base: string | undefined;
  let generators = "";
  for (const element of walk(page, ({ name }) => name !== "svg" && name !== "pre")) {
    const { name, attribs } = element;
    if (name === "meta") {
      const key = (attribs["name"] ?? attribs["property"] ?? "").toLowerCase();
      // A page may name several generators.
      if (key === "generator") generators += ` ${(attribs["content"] ?? "").slice(0, 1000)}`;
      else if (key !== "" && !metas.has(key))
        metas.set(key, (attribs["content"] ?? "").slice(0, 1000).replace(/\s+/g, " ").trim());
    } else if (name === "base") base ??= attribs["href"];
    else if (name === "title" && title === "") title = lineOf(element, 500);
    else if (name === "h1" && heading === "") heading = lineOf(element, 500);
  }
  return {
    /** Title without the name of the site. */
    title: pageTitle(title, metas.get("og:site_name") ?? "", heading),
    description: metas.get("description") ?? metas.get("og:description") ?? "",
    /** Content of all `meta generator`, lower-case; "" without. */
    generator: generators.trim().toLowerCase(),
    /** The raw address in its `<base>`; "" without. */
    base: base ?? "",
  };
}

/** `Install | Guide | Site` as `Install`: the part that the page's heading repeats, else without the site's name. */
function pageTitle(title: string, site: string, heading: string): string {
  const parts = title.split(separator);
  if (parts.length < 2) return title;
  const named = heading === "" ? undefined : parts.find((part) => heading.startsWith(part) || part.startsWith(heading));
  if (named !== undefined) return named;
  if (site !== "" && parts.at(-1) === site)
    return title.slice(0, title.lastIndexOf(site)).replace(/(?<![\s|·•«»‹›–—:-])[\s|·•«»‹›–—:-]+$/, "");
  return parts[0] ?? title;
}
