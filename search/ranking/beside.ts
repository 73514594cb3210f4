import { searchFields } from "../../domain/ports.ts";
import type { Candidate, Question } from "../../domain/ports.ts";

/** Pages beside the guides of a generation: they have the same words, but are about the project rather than its use. */

/** A page or folder named after a day or month: an announcement. */
const dated = /(?:^|\/)(?:19|20)\d\d[-_/](?:0?[1-9]|1[0-2])(?:[-_/.]|$)/;
/** A page named after a version and nothing else: release notes. */
const versioned = /(?:^|\/)v?\d{1,4}(?:[._-](?:\d{1,4}|x)){1,3}$/i;
/** A numbered paper: a decision record. */
const numbered = /(?:^|\/)0\d{3}-[^/]{1,200}$/;
/** Proposals and decisions, by the name of the folder or page. */
const proposed = /(?:^|\/)(?:(?:proposals?|rfcs?|adrs?|design[-_]docs?|enhancements?|internals)\/|proposal[-_])/i;
/** Files for contributors, by the names that Git hosts know. */
const forContributors = /(?:^|\/)(?:contributing|code[-_]of[-_]conduct|governance|changelog)$/i;
/** Terms of a question that asks for such pages. */
const asksForThem = /^(?:contribut|governanc|conduct|changelog|chang|releas|histori|propos|rfc|adr|decis|intern)$/;
/** Parts of an API description other than its operations, by their addresses. */
const besideOperations = /#\/(?:components\/schemas|definitions|tags|webhooks|x-webhooks)\//;
/** Operations of an API description, by their addresses. */
const operations = /#\/(?:paths|webhooks|x-webhooks)\//;
/** Terms of a question that asks for such parts. */
const asksForParts = /^(?:schema|object|model|type|field|webhook|event|callback|tag)$/;
const inDocumentation = /(?:^|\/)(?:docs?|documentation|guides?|manual|handbook|content|website|site)\//i;
const readme = /(?:^|\/)(?:readme|index)$/i;

const [prose, code] = [searchFields.indexOf("prose"), searchFields.indexOf("code")];
/** Maximum number of terms of prose on a page, without sections and code, that only leads to another page. */
const stubTerms = 8;

/** Whether a candidate stands beside the guides. */
export type BesideTest = (candidate: Candidate) => boolean;

/**
 * Creates the test for the candidates of a question. Beside the guides are announcements, release notes, numbered papers, proposals and
 * files for contributors; pages outside of folders of documentation, if most pages are inside; schemas, tags and webhooks of an API,
 * whose operations are its guides; and pages that only lead to another page. If the question asks for such pages, by a number or by name, none is beside.
 */
export function createBesideTest({ terms }: Pick<Question, "terms">, candidates: readonly Candidate[]): BesideTest {
  const asksForSuch = terms.some((term) => asksForParts.test(term));
  if (terms.some((term) => /\d\.\d|^\d{4}$/.test(term) || asksForThem.test(term))) return () => false;
  const pages = new Map(candidates.map(({ pageUrl }) => [pageUrl, pathOf(pageUrl)]));
  const inside = [...pages.values()].filter((path) => inDocumentation.test(path)).length;
  const mostAreInside = 2 * inside > pages.size;
  return ({ pageUrl, belowTitle, lengths }) => {
    if (!asksForSuch && besideOperations.test(pageUrl)) return true;
    const path = pages.get(pageUrl) ?? "";
    if ([dated, versioned, numbered, proposed, forContributors].some((sign) => sign.test(path))) return true;
    if (mostAreInside && !inDocumentation.test(path) && !readme.test(path)) return true;
    return belowTitle && (lengths[code] ?? 0) === 0 && (lengths[prose] ?? 0) <= stubTerms;
  };
}

/** Whether a page is an operation of an API description. */
export function isOperation(pageUrl: string): boolean {
  return operations.test(pageUrl);
}

/** The path of a page's address without its extension. */
function pathOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  return path.replace(/(?:\/|\.[a-z]{1,8})$/i, "");
}
