import { llmsTxtReader } from "../../sources/llmstxt/index.ts";
import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import type { SitePage } from "../support/site.ts";
import { indexedSite, type SiteOptions } from "./site-setup.ts";

/** A page of documentation, as Markdown. */
export const page = (name: string): string =>
  `# ${name}\n\nThis page tells how ${name} is used, and when it is better not to.\n\n## Use of ${name}\n\n\`\`\`js\n${name.toLowerCase()}();\n\`\`\`\n`;
/** A page of documentation, as HTML. */
export const html = (name: string): string =>
  `<!doctype html><html><head><title>${name}</title></head><body><nav><a href="/">Home</a><a href="/b">B</a></nav><main><article><h1>${name}</h1><p>This page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough.</p><pre><code class="language-js">${name.toLowerCase()}(&lt;a&gt;);\n  next();\n</code></pre></article></main></body></html>`;

/** A site with these pages, and `index` for its llms.txt; each result is live for the next. */
export async function setup(pages: Readonly<Record<string, SitePage>>, options: SiteOptions = {}) {
  const indexed = await indexedSite<LlmsTxtSourceSpec>(pages, options, (tools) => llmsTxtReader.create(tools));
  const { site } = indexed;
  const index = (path = "/llms.txt", spec: Partial<LlmsTxtSourceSpec> = {}) =>
    indexed.index({ kind: "llmstxt", url: `${site.origin}${path}`, otherHosts: false, ...spec });
  return { ...indexed, index };
}
