import type { Document, Element } from "domhandler";
import { walk } from "../html/tree.ts";
import { parseAdf, attribute, childOf, macroName, parameter, parseStorage, type AdfNode } from "./body-trees.ts";
import { nameOf, parseName, type BodyFormat, type PageName } from "./page.ts";

/** The pages that a page includes or links to. */
export interface NamedPages {
  readonly included: readonly PageName[];
  readonly linked: readonly PageName[];
  /** Its storage format has content that is complete only in the other format. */
  readonly hasAdf: boolean;
}

/** Maximum number of pages looked up for one page; others count as missing. */
const maxNamed = 500;

/** The pages that a body includes or links to; none if it cannot be parsed. Pure and linear. */
export function namedIn(body: string, format: BodyFormat, space: string): NamedPages {
  const named = format === "storage" ? namedInStorage(parseStorage(body), space) : namedInAdf(parseAdf(body), space);
  return { included: distinct(named.included), linked: distinct(named.linked), hasAdf: named.hasAdf };
}

function namedInStorage(root: Document | null, space: string): NamedPages {
  const included: PageName[] = [];
  const linked: PageName[] = [];
  let hasAdf = false;
  for (const element of root === null ? [] : walk(root)) {
    if (element.name === "ac:adf-extension") hasAdf = true;
    const name = includedBy(element, space);
    if (name !== undefined) included.push(name);
    const link = element.name === "ac:link" ? pageIn(element, space) : undefined;
    if (link !== undefined) linked.push(link);
  }
  return { included, linked, hasAdf };
}

/** The page that a macro includes, in whole or as an excerpt; undefined for any other element. */
export function includedBy(element: Element, space: string): PageName | undefined {
  const macro = macroName(element);
  if (macro !== "include" && macro !== "excerpt-include") return undefined;
  for (const one of walk(element, ({ name }) => name !== "ac:rich-text-body")) {
    const page = one.name === "ri:page" ? pageOf(one, space) : undefined;
    if (page !== undefined) return page;
  }
  const written = parameter(element, "") || parameter(element, "nopanel-page");
  return written === "" ? undefined : parseName(written, space);
}

/** The page that an `ac:link` element links to; undefined for other targets. */
export function pageIn(link: Element, space: string): PageName | undefined {
  const target = childOf(link, "ri:page");
  return target && pageOf(target, space);
}

function pageOf(target: Element, space: string): PageName | undefined {
  const title = attribute(target, "ri:content-title");
  return title === "" ? undefined : { space: attribute(target, "ri:space-key") || space, title };
}

function namedInAdf(root: AdfNode | null, space: string): NamedPages {
  const included: PageName[] = [];
  const open: AdfNode[] = root === null ? [] : [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const name = includedByAdf(node, space);
    if (name !== undefined) included.push(name);
    open.push(...node.content);
  }
  return { included, linked: [], hasAdf: false };
}

/** The page that an extension includes, in whole or as an excerpt; undefined for any other node. */
export function includedByAdf({ type, attrs }: AdfNode, space: string): PageName | undefined {
  if (!/^(?:bodiedExtension|extension|inlineExtension)$/.test(type)) return undefined;
  const key = attrs["extensionKey"];
  if (key !== "include" && key !== "excerpt-include") return undefined;
  const written = macroParameter(attrs, "");
  return written === "" ? undefined : parseName(written, space);
}

/** A macro parameter of an extension; "" if absent. */
export function macroParameter(attrs: Readonly<Record<string, unknown>>, name: string): string {
  const parameters = field(field(attrs["parameters"], "macroParams"), name);
  const value = typeof parameters === "string" ? parameters : field(parameters, "value");
  return typeof value === "string" ? value.trim() : "";
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function distinct(names: readonly PageName[]): readonly PageName[] {
  return [...new Map(names.map((name) => [nameOf(name), name])).values()].slice(0, maxNamed);
}
