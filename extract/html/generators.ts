import { selectAll } from "css-select";
import type { ChildNode, Document, Element } from "domhandler";
import {
  adaptDoxygen,
  adaptGiDocgen,
  adaptHaddock,
  adaptJavadoc,
  adaptPdoc,
  adaptPdoc3,
  adaptRdoc,
  adaptTypedoc,
} from "./adapting.ts";
import { ancestorsOf } from "./tree.ts";

/** The pages of a documentation generator. Selectors are CSS. */
interface Generator {
  /** Required part of its `meta generator`, lower-case; absent: its pages are recognised by their structure. */
  readonly meta?: string;
  /** Selectors of the content by preference: all elements of the first one that matches are read. */
  readonly main: readonly string[];
  /** Elements in the content to leave out, in addition to those of every page. */
  readonly without?: string;
  /** The language of code and signatures that name none. */
  readonly language?: string;
  /** Signatures of functions and types, which are code without `<pre>`. */
  readonly signatures?: string;
  /** Changes the parsed page to semantic elements, before it is cleaned. */
  adapt?(page: Document): void;
}

/**
 * Generators in the order in which structures are tried. Structures are those of themes in 2026: Docusaurus 3, VitePress 1 and 2,
 * Starlight 0.3x, Material for MkDocs 9, Sphinx 4 to 9, TypeDoc 0.28, Nextra 4, rustdoc since 1.50, Javadoc since 8, Doxygen since
 * 1.8, RDoc since 4, Haddock since 2.14, pdoc3 0.11, gi-docgen 2023, QDoc of Qt 5 and 6, JSDoc 4.
 */
const generators: Readonly<Record<string, Generator>> = {
  Docusaurus: {
    meta: "docusaurus",
    main: [".theme-doc-markdown", "article .markdown", "main article", "main"],
    without: ".theme-doc-footer, .theme-doc-toc-desktop",
  },
  VitePress: { meta: "vitepress", main: [".vp-doc", ".VPContent"] },
  Starlight: { meta: "starlight", main: ["h1#_top, .sl-markdown-content"] },
  "Material for MkDocs": {
    meta: "mkdocs",
    main: ["article.md-content__inner", "[role=main]", "main"],
    without: ".md-tags, .md-source-file, .md-feedback, .doc-labels",
  },
  rustdoc: {
    meta: "rustdoc",
    main: ["#main-content", "#main"],
    without:
      ".out-of-band, .rightside, .since, #copy-path, .sub-heading, .notable-traits, .tooltip, .src-line-numbers, .line-numbers, .rustdoc-breadcrumbs, #synthetic-implementations, #synthetic-implementations-list, #blanket-implementations, #blanket-implementations-list",
    language: "rust",
    signatures: ".code-header",
  },
  Javadoc: {
    meta: "javadoc",
    main: ["main", ".contentContainer", "body"],
    without:
      ".sub-nav, .top-nav, .header .sub-title, .inheritance, .method-summary, .constructor-summary, .field-summary, .property-summary, .enum-constant-summary",
    language: "java",
    signatures: ".member-signature, .type-signature, .package-signature, .module-signature",
    adapt: adaptJavadoc,
  },
  Doxygen: {
    main: [".header > .headertitle, .header:has(> .headertitle) + .contents", "#doc-content .contents"],
    without:
      ".ttc, .ingroups, .mlabels-right, .dynheader, .dyncontent, .inherit_header, .inherit, p.definition, p.reference, p.referencedby, .permalink, .overload, .navigatebar, .qindex",
    language: "cpp",
    signatures: ".memproto",
    adapt: adaptDoxygen,
  },
  "Javadoc until 15": {
    main: ["main:has(> .contentContainer)", ".header + .contentContainer"],
    without:
      ".subNav, .header .subTitle, .inheritance, .summary li:has(> [name='method.summary']), .summary li:has(> [id='method.summary']), .summary li:has(> [name='constructor.summary']), .summary li:has(> [id='constructor.summary']), .summary li:has(> [name='field.summary']), .summary li:has(> [id='field.summary']), .summary li:has(> [name='enum.constant.summary']), .summary li:has(> [id='enum.constant.summary'])",
    language: "java",
    adapt: adaptJavadoc,
  },
  YARD: {
    main: [".nav_wrap + #main > #content"],
    without:
      "#menu, .source_code, .showSource, .summary_toggle, .constants_summary_toggle, .inheritanceTree, .inherited, ul.summary, ul.fullTree, .object_link .showAll",
    language: "ruby",
  },
  RDoc: {
    main: ["main[role=main]:has(> .documentation-section)"],
    without:
      ".method-click-advice, .method-source-code, .method-source-toggle, .method-controls, .attribute-access-type",
    language: "ruby",
    signatures: ".method-heading",
    adapt: adaptRdoc,
  },
  "Node.js": { main: ["#column1 > #apicontent"] },
  pdoc: {
    main: ["main.pdoc"],
    without:
      "section > .pdoc-code, .classattr > .pdoc-code, .pdoc-button, .view-source-button, .view-source-toggle-state, .pdoc-alt, .inherited",
    language: "python",
    signatures: "section > .attr, .classattr > .attr",
    adapt: adaptPdoc,
  },
  pdoc3: {
    main: ["article#content:has(> header > h1.title)"],
    without: "details.source, .git-link-div",
    language: "python",
    signatures: "div.name.flex",
    adapt: adaptPdoc3,
  },
  Haddock: {
    main: ["#content:has(> #module-header)", "#content:has(> #module-list)"],
    without:
      "#table-of-contents, #synopsis, #module-header .info, .src .link, .src .selflink, .instances td > details, .instances .empty",
    language: "haskell",
    signatures: "p.src",
    adapt: adaptHaddock,
  },
  "gi-docgen": {
    main: ["section#main.content:has(> header > h1)"],
    without: "header > h3, .srclink, .ancestor-methods, .ancestor-properties, .ancestor-signals, .hierarchy",
    language: "c",
    adapt: adaptGiDocgen,
  },
  QDoc: {
    main: [".mainContent:has(> .sidebar)"],
    without: ".sidebar, .alignedsummary:has([href*='#']), .propsummary:has([href*='#'])",
    language: "cpp",
    signatures: "h3.fn, h3.flags",
  },
  JSDoc: {
    main: ["#main:has(> .page-title)"],
    without: ".tag-source",
    language: "javascript",
  },
  Sphinx: {
    main: [
      "article#furo-main-content",
      "[itemprop=articleBody]",
      "article.bd-article",
      "div.documentwrapper div.body",
      "div.document div.body",
      "div.body[role=main]",
      "#docs-body",
    ],
    without:
      ".sphinxsidebar, .prev-next-footer, .related-pages, .sd-card-hover .sd-stretched-link, .versionmodified-toggle",
  },
  TypeDoc: {
    main: [".container-main .col-content", ".col-content:has(.tsd-page-title)"],
    without: ".tsd-index-panel, .tsd-index-group, aside.tsd-sources, .tsd-hierarchy-link",
    language: "typescript",
    signatures: ".tsd-signature",
    adapt: adaptTypedoc,
  },
  Mintlify: {
    main: ["#content-area #content", "#content-area .mdx-content", ".mdx-content", "#content-area"],
    without: "#pagination, #feedback, .feedback-toolbar, #table-of-contents, .eyebrow",
  },
  GitBook: {
    meta: "gitbook",
    main: ["main > div.page-width-wide", "main [data-testid=page\\.contentEditor]", "main"],
    without: "aside, [data-testid=page-footer]",
  },
  Nextra: {
    main: ["main[data-pagefind-body]", ".nextra-content main", "article.nextra-content", "article > main"],
    without: ".nextra-breadcrumb, .nextra-toc",
  },
  pkgsite: {
    main: [".UnitReadme-content, .Documentation-content", ".Documentation"],
    without:
      ".Documentation-toc, .Documentation-index, .Documentation-examples, .Documentation-sinceVersion, .Documentation-idLink, .UnitReadme-expandLink",
    language: "go",
  },
  DocBook: {
    meta: "docbook",
    main: ["body"],
    without: ".navigation, .navheader, .navfooter, .toc, .footer, #shortcuts",
  },
  Docsify: {
    main: ["article#main.markdown-section"],
    without: ".docsify-pagination-container",
  },
  Docute: {
    main: [".Main > .Content:has(> .page-content)"],
    without: ".prev-next-links, .EditLink",
  },
  mdBook: {
    main: ["#mdbook-content main", "#content > main", ".content > main"],
    without: ".nav-wrapper, .nav-chapters, .boring",
  },
};

/** The generator of a parsed page, and the elements of its content; found by its `meta`, else by its structure. */
export function contentOf(
  page: Document,
  meta: string,
  source: string,
): { readonly generator: Generator; readonly main: readonly Element[] } | undefined {
  const all = Object.values(generators);
  const named = all.filter((one) => one.meta !== undefined && meta.includes(one.meta));
  for (const generator of [...named, ...all.filter((one) => one.meta === undefined)]) {
    for (const selector of generator.main) {
      const matches = select(selector, page, source);
      if (matches.length > 0) return { generator, main: outermost(matches) };
    }
  }
  return undefined;
}

/** The elements that match a list of selectors, "" for none. Selectors with a class or id that the source does not contain are skipped, to save time. */
export function select(selectors: string, node: Document | Element, source: string): readonly Element[] {
  const possible = selectors
    .split(", ")
    .filter((one) => one !== "" && (one.match(/(?<=[.#])[\w-]+/g) ?? []).every((name) => source.includes(name)));
  return possible.length === 0 ? [] : selectAll<ChildNode | Document, Element>(possible.join(", "), node);
}

function outermost(elements: readonly Element[]): readonly Element[] {
  const all = new Set(elements);
  return elements.filter((element) => ![...ancestorsOf(element)].some((around) => all.has(around)));
}
