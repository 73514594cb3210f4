import { searchFields } from "../domain/ports.ts";
import type { Candidate, Question } from "../domain/ports.ts";

/** Pages of a generation that stand beside its guides: they say the same words, about the project rather than its use. */

/** A page called after a day or month, or in folders called so: an announcement. */
const dated = /(?:^|\/)(?:19|20)\d\d[-_/](?:0?[1-9]|1[0-2])(?:[-_/.]|$)/;
/** A page called after a version and nothing else: what that release brought. */
const versioned = /(?:^|\/)v?\d{1,4}(?:[._-](?:\d{1,4}|x)){1,3}$/i;
/** A numbered paper, as projects have them for what they decide. */
const numbered = /(?:^|\/)0\d{3}-[^/]{1,200}$/;
/** What a project proposes and decides, in a folder that is called so, or in a page that is. */
const proposed = /(?:^|\/)(?:(?:proposals?|rfcs?|adrs?|design[-_]docs?|enhancements?|internals)\/|proposal[-_])/i;
/** Files to which hosts of repositories give a meaning by their names. */
const forContributors = /(?:^|\/)(?:contributing|code[-_]of[-_]conduct|governance|changelog)$/i;
/** Words by which a question asks for such files. */
const asksForThem = /^(?:contribut|governanc|conduct|changelog|chang|releas|histori|propos|rfc|adr|decis|intern)$/;
/** Parts of an API description that say what its operations take, send or have in common. */
const besideOperations = /#\/(?:components\/schemas|definitions|tags|webhooks|x-webhooks)\//;
/** Operations of an API description, by their addresses. */
const operations = /#\/(?:paths|webhooks|x-webhooks)\//;
/** Words by which a question asks for such parts. */
const asksForParts = /^(?:schema|object|model|type|field|webhook|event|callback|tag)$/;
const inDocumentation = /(?:^|\/)(?:docs?|documentation|guides?|manual|handbook|content|website|site)\//i;
const readme = /(?:^|\/)(?:readme|index)$/i;

const [prose, code] = [searchFields.indexOf("prose"), searchFields.indexOf("code")];
/** Terms of prose that a page without sections and code has which only leads to another one, at most. */
const stubTerms = 8;

/** Says which candidates stand beside the guides. */
export type BesideTest = (candidate: Candidate) => boolean;

/**
 * Makes the test for the candidates of a question: announcements, notes of releases, numbered papers, proposals, files for contributors; pages
 * outside of the folders of documentation where most pages lie inside; schemas, tags and webhooks of an API, whose operations are its guides;
 * and pages that only lead to another one. What the question asks
 * for by a number or by name is not one of these.
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

/** Whether a page is of an operation of an API description. */
export function isOperation(pageUrl: string): boolean {
  return operations.test(pageUrl);
}

/** The path of a page's address without its ending. */
function pathOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  return path.replace(/(?:\/|\.[a-z]{1,8})$/i, "");
}
