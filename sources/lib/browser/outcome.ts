import { Failure } from "../../../domain/failures.ts";
import { withoutPaths } from "../../../extract/screened-texts.ts";
import { asksLogIn } from "../../../extract/website/log-in.ts";
import type { BrowserEnd, Loaded } from "./browser-process.ts";
import type { LoadedPage, PageProblem } from "./messages.ts";

/** A page as a browser renders it. */
export interface RenderedPage {
  /** Where it is, after redirects of servers and scripts. */
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly xRobotsTag?: string;
}

/** @throws Failure that says why there is no page */
export function toRenderedPage({ outcome, traffic }: Loaded, asked: URL): RenderedPage {
  if (outcome.type === "page") return toPage(outcome.page);
  if (outcome.type !== "failed") throw endOf(outcome);
  const url = URL.canParse(outcome.problem.url) ? new URL(outcome.problem.url) : asked;
  throw problemOf(outcome.problem, { asked, url }, traffic.failureOf(url));
}

function toPage({ url: address, mediaType, status, html, xRobotsTag }: LoadedPage): RenderedPage {
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol))
    throw new Failure("source_invalid", `The page leads to ${url.protocol}, which is no address of a page.`);
  if (!/^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType))
    throw new Failure("source_invalid", `${url.host} sent ${mediaType}, which a browser is not needed for.`);
  return { url, status, html, ...(xRobotsTag !== null && { xRobotsTag }) };
}

const certificate = /^net::ERR_(?:CERT_|SSL_|BAD_SSL)/;

function problemOf(
  { kind, detail }: PageProblem,
  { asked, url }: { readonly asked: URL; readonly url: URL },
  outside: Failure | undefined,
): Failure {
  const cause = new Error(detail);
  const fail = (code: Failure["code"], message: string): Failure => new Failure(code, message, { cause });
  const word = /net::ERR_\w+/.exec(detail)?.[0] ?? detail;
  switch (kind) {
    case "network":
      if (outside !== undefined) return outside;
      if (certificate.test(word))
        return fail(
          "source_invalid",
          `${url.host} offers no TLS connection that a browser trusts (${word}). For a certificate of your own authority, name it in NODE_EXTRA_CA_CERTS, and install certutil (libnss3-tools).`,
        );
      if (word === "net::ERR_ABORTED" || detail.includes("Download is starting"))
        return fail("source_invalid", `${url.host} sent a download or nothing, and no page.`);
      if (word === "net::ERR_TOO_MANY_REDIRECTS" && asksLogIn(asked, url))
        return fail(
          "source_refused",
          `${asked.host} redirects in a loop, as sites do that ask for a log-in. Submit it with headers that it lets in.`,
        );
      if (word === "net::ERR_BLOCKED_BY_CLIENT" || word === "net::ERR_TOO_MANY_REDIRECTS")
        return fail("source_invalid", `${url.host} redirects endlessly, or to what is no address of a page.`);
      return fail("source_unreachable", `${url.host} is out of reach: the browser says ${word}.`);
    case "slow":
      return outside ?? fail("source_unreachable", `${url.host} is too slow: a page did not come in time.`);
    case "restless":
      return fail("source_invalid", `${url.host} has a page that goes on to other pages endlessly.`);
    case "too long":
      return fail("library_too_large", `${url.host} has a page that is too large. ${detail}`);
    case "crashed":
      return fail("page_too_costly", `The browser could not hold the page. ${detail}`);
    case "unexpected":
      return fail("source_invalid", `${url.host} has a page that a browser cannot read: ${detail}`);
  }
}

function endOf(end: BrowserEnd): Failure {
  switch (end.type) {
    case "unstartable":
      return browserGone(end);
    case "traffic":
      return end.failure;
    case "memory":
      return new Failure("page_too_costly", "The page takes more memory than a browser is given.");
    case "died":
      return new Failure("page_too_costly", "The browser ended twice while it was loading the page.");
    case "timeout":
      return new Failure("page_too_costly", "The page takes a browser more time than it is given.");
    case "aborted":
      return new Failure("service_unavailable", "The page was given up.");
  }
}

/** The failure of a machine whose Chromium does not start. */
export function browserGone(end: BrowserEnd): Failure {
  const reason = end.type === "unstartable" ? end.reason : "It ended.";
  const message = `Chromium does not start: ${withoutPaths(reason)} See docs/hardening.md.`;
  return new Failure("browser_needed", message, { cause: new Error(reason) });
}
