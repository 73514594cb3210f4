import { selectAll } from "css-select";
import { isTag, isText, type ChildNode, type Document, type Element } from "domhandler";
import { isCodeField } from "./code-elements.ts";
import { isHidden } from "./hidden.ts";
import { keepIcon } from "./icons.ts";
import type { Tabs } from "./tabs.ts";
import { ancestorsOf, classesOf, elementsIn, lineOf, textOf, walk } from "./tree.ts";

/** Elements without visible text, or without content of the page. */
const silent = new Set(
  "script style template noscript svg iframe object embed applet canvas audio video picture img map link meta select datalist textarea dialog noframes noembed annotation annotation-xml nav rp frameset".split(
    " ",
  ),
);
const boilerplateRoles = new Set(
  "navigation search banner contentinfo dialog alertdialog menu menubar tooltip doc-backlink".split(" "),
);
/** Classes of a theme's elements next to the content: navigation, and data about the page. */
const boilerplateClasses = new Set(
  "toc table-of-contents on-this-page breadcrumb breadcrumbs tsd-breadcrumb pagination prev-next pager edit-this-page edit-link last-updated page-nav skip-link skiplink cookie-banner cookie-consent social-share share-buttons feedback-widget footnote-backref headerlink hash-link header-anchor heading-anchor sl-anchor-link tsd-anchor-icon anchorjs-link viewcode-link srclink test-arrow copy-btn copybtn btn-clipboard btn-copy zeroclipboard-container theme-doc-toc-mobile theme-doc-breadcrumbs theme-doc-version-badge md-source-file md-content__button md-annotation__index".split(
    " ",
  ),
);
const contents = new Set(["contents", "topic", "local"]);

/**
 * Removes from a page, in place, what is invisible or not content, and elements that match a selector of `exclude`. Panels of
 * tabs and the inside of `<details>` stay, as readers can open them.
 */
export function clean(
  page: Document,
  { exclude, tabs }: { readonly exclude: readonly string[]; readonly tabs: Tabs },
): void {
  const excluded = new Set(exclude.flatMap((selector) => matching(selector, page)));
  const kept = ancestorsOfContent(page);
  const navigation = navigationLists(page);
  const open = [page as Document | Element];
  const anchored = new Set<Element>();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isTag(node)) showShadow(node);
    node.children = node.children.filter((child) => {
      if (isText(child)) return true;
      if (!isTag(child)) return false;
      const isNavigation = navigation.has(child) && !kept.has(child);
      if (excluded.has(child) || tabs.labels.has(child) || isNavigation || isLeftOut(child, kept, tabs)) {
        keepAnchor(child, anchored);
        return false;
      }
      open.push(child);
      return true;
    });
  }
}

/** Moves the id of a removed anchor to the heading around it; that of a self-link replaces one moved earlier. */
function keepAnchor({ name, attribs, parent }: Element, anchored: Set<Element>): void {
  const id = attribs["id"] ?? (name === "a" ? attribs["name"] : undefined);
  if (id === undefined || parent === null || !isTag(parent)) return;
  for (const heading of [parent, parent.parent]) {
    if (heading === null || !isTag(heading) || !/^h[1-6]$/.test(heading.name)) continue;
    if (heading.attribs["id"] !== undefined && !(anchored.has(heading) && attribs["href"] === `#${id}`)) continue;
    heading.attribs["id"] = id;
    anchored.add(heading);
  }
}

/** The elements that match a selector; none for an invalid one, which older forms have accepted. */
function matching(selector: string, page: Document): readonly Element[] {
  try {
    return selectAll<ChildNode | Document, Element>(selector, page);
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

/** The lists of links in which one is marked as the current page (https://www.w3.org/TR/wai-aria-1.2/#aria-current). */
function navigationLists(page: Document): ReadonlySet<Element> {
  const lists = new Set<Element>();
  for (const element of walk(page)) {
    if (element.name !== "a" || element.attribs["aria-current"] !== "page") continue;
    for (const around of ancestorsOf(element)) {
      if (lists.has(around)) break;
      if (around.name === "ul" || around.name === "ol") lists.add(around);
    }
  }
  return lists;
}

/** The ancestors of a page's heading and main part, which are removed only if they are hidden. */
function ancestorsOfContent(page: Document): ReadonlySet<Element> {
  const kept = new Set<Element>();
  for (const element of walk(page)) {
    if (element.name !== "h1" && element.name !== "main" && element.attribs["role"] !== "main") continue;
    kept.add(element);
    for (const around of ancestorsOf(element)) {
      if (kept.has(around)) break;
      kept.add(around);
    }
  }
  return kept;
}

function isLeftOut(element: Element, kept: ReadonlySet<Element>, { panels }: Tabs): boolean {
  const { name, attribs, parent } = element;
  if (isCodeField(element)) return false;
  if (silent.has(name))
    return (
      isHidden(element) || !((name === "template" && attribs["shadowrootmode"] !== undefined) || keepIcon(element))
    );
  const isOpened = panels.has(element) || (parent !== null && isTag(parent) && parent.name === "details");
  if (isHidden(element) && !isOpened) return true;
  if (kept.has(element)) return false;
  if (attribs["aria-hidden"] === "true" && !isOpened) return true;
  if (name === "button" || name === "input") return !isTitleButton(element) && attribs["type"] !== "checkbox";
  if (boilerplateRoles.has(attribs["role"] ?? "")) return true;
  if (name === "a") return isAnchor(element);
  if (name === "header" || name === "footer") return isOfPage(element) && !isTitle(element);
  if (attribs["id"] === "sidebar") return true;
  if (attribs["class"] === undefined) return attribs["id"] === "toc";
  const classes = classesOf(element);
  if (classes.some((one) => boilerplateClasses.has(one))) return true;
  return (
    classes.length > 1 && classes[0] === "contents" && classes.some((one) => one !== "contents" && contents.has(one))
  );
}

/** Whether a button is in a heading or summary, whose text it has. */
function isTitleButton(button: Element): boolean {
  return [...ancestorsOf(button, 2)].some(({ name }) => /^h[1-6]$|^summary$/.test(name));
}

/** Text of links about the page itself, in any theme. */
const aboutPage =
  /^\W{0,3}(?:(?:edit|improve|fork) (?:(?:this|the) (?:page|doc|document|article)\b.{0,30}|(?:it )?on (?:github|gitlab|bitbucket|codeberg|gitea))|suggest (?:an )?edits?(?: to this page)?|(?:view|show|page) (?:page )?source(?: on \w{1,12})?|skip to (?:main |the )?content|back to (?:the )?top)\W{0,3}$/i;

/** A self-link, such as the # after a heading or a line number. */
function isAnchor(link: Element): boolean {
  if (classesOf(link).some((one) => boilerplateClasses.has(one)) || aboutPage.test(lineOf(link, 60))) return true;
  const text = textOf(link, 20).trim();
  if (!(link.attribs["href"] ?? "").startsWith("#") || /[\p{L}\p{N}]/u.test(text)) return false;
  // The name of an operator in code, or in a list of names, leads to its description.
  return !/^[-+*/\\<=>%&|!?^~@$.:`()[\]{}]+$/.test(text) || !isOperatorPlace(link);
}

/** Whether a link is in code, has code in it, or is alone in an item or cell. */
function isOperatorPlace(link: Element): boolean {
  const isCode = ({ name }: Element): boolean => /^(?:pre|code|tt|samp|kbd)$/.test(name);
  const { parent } = link;
  if (elementsIn(link).some(isCode) || [...ancestorsOf(link, 12)].some(isCode)) return true;
  if (parent === null || !isTag(parent) || !/^(?:li|td|dt|dd)$/.test(parent.name)) return false;
  return parent.children.every((child) => child === link || (isText(child) && child.data.trim() === ""));
}

/** Whether a header or footer is the site's or an article's, not a quotation's. */
function isOfPage(element: Element): boolean {
  return ![...ancestorsOf(element, 6)].some(({ name }) => name === "blockquote" || name === "figure");
}

/** Whether the header of a section is just its heading. */
function isTitle(header: Element): boolean {
  if (![...ancestorsOf(header, 2)].some(({ name }) => name === "section")) return false;
  const heading = elementsIn(header).find(({ name }) => /^h[2-6]$/.test(name));
  return heading !== undefined && lineOf(header, 300) === lineOf(heading, 300);
}

/** Replaces a host's content by its declarative shadow root, with the content in the slots. */
function showShadow(host: Element): void {
  const template = elementsIn(host).find(
    ({ name, attribs }) => name === "template" && attribs["shadowrootmode"] !== undefined,
  );
  if (template === undefined) return;
  const content = host.children.filter((child) => child !== template);
  const bySlot = Map.groupBy(content, (child) => (isTag(child) ? (child.attribs["slot"] ?? "") : ""));
  for (const slot of [...walk(template)].filter(({ name }) => name === "slot")) {
    const name = slot.attribs["name"] ?? "";
    const assigned = bySlot.get(name);
    // Only the first slot of a name is filled.
    bySlot.delete(name);
    if (assigned === undefined || assigned.every((child) => isText(child) && child.data.trim() === "")) continue;
    slot.children = assigned;
    for (const child of assigned) child.parent = slot;
  }
  host.children = template.children;
  for (const child of host.children) child.parent = host;
}

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
