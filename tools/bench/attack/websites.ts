import { startSite, type SitePage } from "../../../test/support/site.ts";
import { repeatText, type Attack, type AttackContext, type Begun } from "./attack.ts";

/** Starts a site and submits it, as a website or by its llms.txt. */
async function submitSite(
  { submit }: AttackContext,
  name: string,
  pages: Readonly<Record<string, SitePage>>,
): Promise<Begun> {
  const site = await startSite(pages);
  const libraryId =
    "/llms.txt" in pages && !("/" in pages)
      ? await submit("/v2/add/llmstxt", { llmstxtUrl: `${site.origin}/llms.txt`, libraryName: `/llmstxt/${name}` })
      : await submit("/v2/add/website", {
          websiteUrl: `${site.origin}/`,
          libraryName: `/websites/${name}`,
          maxPages: 50,
        });
  return { libraryIds: [libraryId], end: () => site.close() };
}

const filler =
  "This paragraph is what a page of documentation would say, in two sentences that are long enough. Here is the second of them.";

function page(title: string, body = "", head = ""): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${filler}</p><pre><code class="language-js">call(1);\n</code></pre>${body}</main></body></html>`;
}

const text = (body: string): SitePage => ({ headers: { "content-type": "text/plain" }, body });
const markdown = (body: string): SitePage => ({ headers: { "content-type": "text/markdown" }, body });
const json = (body: string): SitePage => ({ headers: { "content-type": "application/json" }, body });

/** Attacks by the content of a website. */
export const websiteAttacks: readonly Attack[] = [
  {
    name: "a robots.txt with a long wildcard rule and a long sitemap",
    ending: ["published"],
    begin: (context) =>
      submitSite(context, "robots-long", {
        "/": page("Start"),
        "/robots.txt": text(
          `User-agent: *\nDisallow: /*${"a".repeat(200_000)}*b\nSitemap: https://127.0.0.1/${"a".repeat(200_000)}\nSitemap: file:///etc/passwd\n`,
        ),
      }),
  },
  {
    name: "a robots.txt of 10,000 robots with 5,000 rules with wildcards for each",
    ending: ["published"],
    begin: (context) =>
      submitSite(context, "robots-many", {
        "/": page(
          "Start",
          repeatText(50, (at) => `<a href="/${"a".repeat(1900)}${at}">x</a>`),
        ),
        "/robots.txt": text(
          `${repeatText(10_000, (at) => `User-agent: ${at === 0 ? "Lectern" : `r${at}`}`)}\n${repeatText(5000, (at) => `Disallow: /*a*aab*${at}$`)}\n`,
        ),
      }),
  },
  {
    name: "a robots.txt of 20 MB",
    ending: ["published"],
    begin: (context) =>
      submitSite(context, "robots-large", {
        "/": page("Start"),
        "/robots.txt": text(`User-agent: *\n${"Disallow: /private\n".repeat(1_000_000)}`),
      }),
  },
  {
    name: "a page of Markdown with 600,000 links",
    ending: ["published"],
    begin: (context) =>
      submitSite(context, "links-markdown", {
        "/": page("Start", '<a href="/all.md">All</a>'),
        "/all.md": markdown(`# All\n\n${filler}\n\n${repeatText(600_000, (at) => `- [P](/p/${at}x)`)}\n`),
      }),
  },
  {
    name: "a page of HTML with 600,000 links",
    // On a slow machine the first page takes too long to read, and leads nowhere.
    ending: ["published", "no_code_found"],
    begin: (context) =>
      submitSite(context, "links-html", {
        "/": page("Start", `<a href="guide">Guide</a>${repeatText(600_000, (at) => `<a href="p${at}x">p</a>`)}`),
        "/guide": page("Guide"),
      }),
  },
  {
    name: "the index of a search with a million pages",
    ending: ["published"],
    begin: (context) =>
      submitSite(context, "links-search", {
        "/": page("Start", "", '<meta name="generator" content="mkdocs-1.6">'),
        "/search/search_index.json": json(
          `{"docs":[${repeatText(1_000_000, (at) => `{"location":"p${at}x/"}`, ",")}]}`,
        ),
      }),
  },
  {
    name: "50 sitemaps of 50,000 addresses",
    ending: ["published"],
    begin: (context) =>
      submitSite(context, "links-sitemaps", {
        "/": page("Start"),
        "/robots.txt": text(repeatText(50, (at) => `Sitemap: /sitemap-${at}.xml`)),
        ...Object.fromEntries(
          Array.from({ length: 50 }, (_, sitemap) => [
            `/sitemap-${sitemap}.xml`,
            `<?xml version="1.0"?><urlset>${repeatText(50_000, (at) => `<url><loc>/v${at % 90}.${sitemap}/p${at}</loc></url>`, "")}</urlset>`,
          ]),
        ),
      }),
  },
  {
    name: "an llms.txt of 600,000 links",
    ending: ["library_too_large"],
    begin: (context) =>
      submitSite(context, "llms-links", {
        "/llms.txt": text(
          `# All\n\n> ${filler}\n\n## Pages\n\n${repeatText(600_000, (at) => `- [P](/p/${at}x.md)`)}\n`,
        ),
      }),
  },
  {
    name: "an llms-full.txt of a million headings",
    ending: ["library_too_large"],
    begin: (context) =>
      submitSite(context, "llms-headings", {
        "/llms.txt": text(repeatText(1_000_000, (at) => `# Heading ${at}\n\nSay ${at}.\n`)),
      }),
  },
  {
    name: "pages of 50,000 links each to one another",
    ending: ["library_too_large"],
    begin: (context) => {
      const links = repeatText(50_000, (at) => `<a href="/q/${"long/".repeat(3)}page-${at}x">p</a>`);
      const pages = Array.from({ length: 40 }, (_, at) => [`/q/long/long/long/page-${at}x`, page(`Q ${at}`, links)]);
      return submitSite(context, "links-dense", { "/": page("Start", links), ...Object.fromEntries(pages) });
    },
  },
];
