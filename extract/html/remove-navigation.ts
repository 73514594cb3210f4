import { selectAll } from "css-select";
import { isTag, isText, type ChildNode, type Document, type Element } from "domhandler";
import { keysByWord } from "../language.ts";
import { isHidden } from "./hidden.ts";
import { keepIcon } from "./icons.ts";
import { unifyFormulas } from "./math.ts";
import { isNote } from "./footnotes.ts";
import type { Tabs } from "./tabs.ts";
import { ancestorsOf, classesOf, elementsIn, firstOf, lineOf, textOf, walk } from "./tree.ts";

/** Elements that are not served. */
interface Rule {
  readonly reason: string;
  /** Names, `@roles`, `#ids` and `.classes`, of which an element has one. */
  readonly of: string;
  /** Further condition. */
  test?(element: Element, page: PageFacts): boolean;
  /** Applies also to the elements around a page's heading and main part. */
  readonly always?: true;
}

/** Elements without words of the document, in Markdown too, by reason. */
export const silent: ReadonlyMap<string, string> = keysByWord({
  script: "script noscript noframes noembed",
  style: "style link meta",
  embedded: "iframe object embed applet frameset",
  picture: "svg canvas audio video map",
  control: "select datalist",
  hidden: "annotation annotation-xml",
});

/** What else is dropped, and why, beside what is hidden. Every other element is read. A new kind is an entry here. */
const rules: readonly Rule[] = [
  { reason: "script", of: "template", test: (one) => !isShadow(one), always: true },
  // What cannot be written in is shown.
  { reason: "control", of: "textarea", test: ({ attribs }) => attribs["readonly"] === undefined, always: true },
  { reason: "hidden", of: "dialog", test: ({ attribs }) => attribs["open"] === undefined, always: true },
  { reason: "menu", of: "nav", always: true },
  { reason: "menu", of: "@navigation @search @menu @menubar #sidebar .on-this-page .page-nav .theme-doc-toc-mobile" },
  { reason: "menu", of: "ul ol", test: (one, { lists }) => lists.has(one) },
  {
    reason: "menu",
    of: "#toc .toc .table-of-contents .breadcrumb .breadcrumbs .tsd-breadcrumb .theme-doc-breadcrumbs .pagination .pager .prev-next",
    test: isOfLinks,
  },
  // docutils has the first two of a topic.
  {
    reason: "menu",
    of: ".contents",
    test: ({ attribs }) => /^contents\s.*\b(?:topic|local)\b/.test(attribs["class"] ?? ""),
  },
  { reason: "header", of: "@banner" },
  { reason: "header", of: "header", test: (one) => !isQuoted(one) && !introduces(one) },
  { reason: "footer", of: "@contentinfo" },
  { reason: "footer", of: "footer #footer", test: (one) => !isQuoted(one) && !hasNotes(one) },
  { reason: "dialog", of: "@dialog @alertdialog .cookie-banner .cookie-consent" },
  { reason: "tooltip", of: "@tooltip" },
  { reason: "control", of: "button", test: (one, page) => !isTitleButton(one, page) },
  { reason: "control", of: "input", test: ({ attribs }) => attribs["type"] !== "checkbox" },
  {
    reason: "control",
    of: ".share-buttons .social-share .feedback-widget .test-arrow .copy-btn .copybtn .btn-clipboard .btn-copy .zeroclipboard-container .md-content__button .md-annotation__index",
  },
  {
    reason: "link",
    of: "@doc-backlink .edit-this-page .edit-link .skip-link .skiplink .footnote-backref .headerlink .hash-link .header-anchor .heading-anchor .sl-anchor-link .tsd-anchor-icon .anchorjs-link .viewcode-link .srclink",
  },
  { reason: "link", of: "a", test: isAnchor },
  { reason: "about", of: ".last-updated .theme-doc-version-badge .md-source-file" },
];

/** Rules by what they are of, as a page has many elements and few that one is for. */
const rulesBy = Map.groupBy(
  rules.flatMap((rule) => rule.of.split(" ").map((key) => ({ ...rule, key }))),
  ({ key }) => key,
);

/** Findings about a page for the rules. */
interface PageFacts {
  readonly tabs: Tabs;
  /** The ancestors of its heading and main part. */
  readonly kept: ReadonlySet<Element>;
  /** The lists of links in which one is marked as the current page (https://www.w3.org/TR/wai-aria-1.2/#aria-current). */
  readonly lists: ReadonlySet<Element>;
  /** Panels that the button before them expands, and these buttons. */
  readonly opened: ReadonlySet<Element>;
}

/** Numbers of elements with words, by the reason they are not served for. */
export type Dropped = Record<string, number>;

/**
 * Removes from a page, in place, what is invisible or not content, and elements that match a selector of `exclude`; formulas become
 * single elements. Panels of tabs and the inside of `<details>` stay, as readers can open them. Returns what was removed.
 */
export function clean(
  page: Document,
  { exclude, tabs }: { readonly exclude: readonly string[]; readonly tabs: Tabs },
): Dropped {
  unifyFormulas(page);
  const excluded = new Set(exclude.flatMap((selector) => matching(selector, page)));
  const facts = factsOf(page, tabs);
  const dropped: Dropped = {};
  const open = [page as Document | Element];
  const anchored = new Set<Element>();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isTag(node)) showShadow(node);
    node.children = node.children.filter((child) => {
      if (isText(child)) return true;
      if (!isTag(child)) return false;
      // Labels of tabs are served with their panels, the title of a page as its own.
      const isElsewhere = tabs.labels.has(child) || child.name === "title";
      const reason = excluded.has(child) ? "excluded" : reasonFor(child, facts);
      if (!isElsewhere && reason === undefined) return open.push(child) > 0;
      if (!isElsewhere && reason !== undefined) countDropped(dropped, reason, child);
      keepAnchor(child, anchored);
      return false;
    });
  }
  return dropped;
}

/** Counts an element that is not served, if it has words. */
export function countDropped(dropped: Dropped, reason: string, element: Element): void {
  if (hasWords(element)) dropped[reason] = (dropped[reason] ?? 0) + 1;
}

function reasonFor(element: Element, page: PageFacts): string | undefined {
  const { name, attribs } = element;
  if (silent.has(name)) return !isHidden(element) && keepIcon(element) ? undefined : silent.get(name);
  const isKept = page.kept.has(element);
  const isUnseen = isHidden(element) || (!isKept && attribs["aria-hidden"] === "true");
  if (isUnseen && !isOpened(element, page)) return "hidden";
  for (const key of [name, `@${attribs["role"]}`, `#${attribs["id"]}`, ...classesOf(element).map((one) => `.${one}`)])
    for (const { reason, always, test } of rulesBy.get(key) ?? [])
      if ((always === true || !isKept) && test?.(element, page) !== false) return reason;
  return undefined;
}

function hasWords(node: ChildNode): boolean {
  if (isText(node)) return /[\p{L}\p{N}]/u.test(node.data);
  return isTag(node) && node.children.some(hasWords);
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

function factsOf(page: Document, tabs: Tabs): PageFacts {
  const kept = new Set<Element>();
  const lists = new Set<Element>();
  const opened = new Set<Element>();
  for (const element of walk(page)) {
    const { name, attribs } = element;
    if (name === "h1" || name === "main" || attribs["role"] === "main") {
      for (const one of [element, ...ancestorsOf(element)]) {
        if (kept.has(one)) break;
        kept.add(one);
      }
    } else if (name === "a" && attribs["aria-current"] === "page") {
      for (const around of ancestorsOf(element)) {
        if (lists.has(around)) break;
        if (around.name === "ul" || around.name === "ol") lists.add(around);
      }
    } else if (name === "button" && attribs["aria-expanded"] !== undefined && attribs["aria-haspopup"] === undefined) {
      for (const place of [element, ...ancestorsOf(element, 2)]) {
        const next = place.next && isText(place.next) ? place.next.next : place.next;
        if (next && isTag(next) && next.attribs["id"] === attribs["aria-controls"]) opened.add(next).add(element);
      }
    }
  }
  return { tabs, kept, lists, opened };
}

/** Whether readers can open an element that is hidden: a panel of tabs, the inside of `<details>`, what a button expands. */
function isOpened(element: Element, { tabs, opened }: PageFacts): boolean {
  const { parent } = element;
  const isDetail = parent !== null && isTag(parent) && parent.name === "details";
  return isDetail || tabs.panels.has(element) || opened.has(element);
}

/** Whether a button is more than a label: the title of a section, or around content. */
function isTitleButton(button: Element, { opened }: PageFacts): boolean {
  if (firstOf(ancestorsOf(button, 2), ({ name }) => /^h[1-6]$|^summary$/.test(name)) !== undefined) return true;
  return opened.has(button) || firstOf(walk(button), ({ name }) => /^(?:h[1-6]|p|pre|code)$/.test(name)) !== undefined;
}

/** Whether a footer has code or footnotes in it. */
function hasNotes(footer: Element): boolean {
  return firstOf(walk(footer), (one) => one.name === "pre" || isNote(one)) !== undefined;
}

/** Text of links about the page itself, in any theme. */
const aboutPage =
  /^\W{0,3}(?:(?:edit|improve|fork) (?:(?:this|the) (?:page|doc|document|article)\b.{0,30}|(?:it )?on (?:github|gitlab|bitbucket|codeberg|gitea))|suggest (?:an )?edits?(?: to this page)?|(?:view|show|page) (?:page )?source(?: on \w{1,12})?|skip to (?:main |the )?content|back to (?:the )?top)\W{0,3}$/i;
/** Signs of ASCII and of mathematics, without arrows: the name of an operator is made of them. */
const operator = /^(?![←-⇿#^]|[[(]#|\[[+-]\]$)(?:[!-/:-@[-`{-~]|\p{Sm})+$/u;

/** Whether a link is a permalink, such as the `#` after a heading, or is about the page. An operator such as `#` that links elsewhere is not. */
function isAnchor(link: Element): boolean {
  if (aboutPage.test(lineOf(link, 60))) return true;
  const { href = "" } = link.attribs;
  const text = textOf(link, 20).trim();
  if (!href.startsWith("#") || /[\p{L}\p{N}]/u.test(text)) return false;
  if (href === "#" || !operator.test(text)) return true;
  if (Object.keys(link.attribs).some((name) => /toggle$|^role$/.test(name))) return true;
  const heading = firstOf(ancestorsOf(link, 3), ({ name }) => /^h[1-6]$/.test(name));
  return heading !== undefined && href === `#${heading.attribs["id"]}` && /[\p{L}\p{N}]/u.test(textOf(heading, 200));
}

/** Whether a header or footer is a quotation's, not the site's or an article's. */
function isQuoted(element: Element): boolean {
  return firstOf(ancestorsOf(element, 6), ({ name }) => name === "blockquote" || name === "figure") !== undefined;
}

/** Whether a header is that of an article or section, and has its heading or a sentence. */
function introduces(header: Element): boolean {
  const isPart = ({ name }: Element): boolean => /^(?:article|section|main)$/.test(name);
  const isIntroduction = (one: Element): boolean =>
    /^h[1-6]$/.test(one.name) || (one.name === "p" && /^\S+ \S+ .*[.!?:。]$/.test(lineOf(one)));
  return firstOf(ancestorsOf(header), isPart) !== undefined && firstOf(walk(header), isIntroduction) !== undefined;
}

/** Number of characters and elements from which it is told whether an element is a list of links. */
const maxExamined = 2000;

/** Whether half of a text is links. */
function isOfLinks(element: Element): boolean {
  let linked = 0;
  let examined = 0;
  for (const one of walk(element, ({ name }) => name !== "a")) {
    if (one.name === "a") linked += lineOf(one, maxExamined).length;
    if (linked > maxExamined || examined++ > maxExamined) break;
  }
  return linked * 2 >= lineOf(element, maxExamined).length;
}

function isShadow({ name, attribs }: Element): boolean {
  return name === "template" && attribs["shadowrootmode"] !== undefined;
}

/** Replaces a host's content by its declarative shadow root, with the content in the slots. */
function showShadow(host: Element): void {
  const template = elementsIn(host).find(isShadow);
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
