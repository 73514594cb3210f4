import type * as Asciidoctor from "@asciidoctor/core";
import type { ChildNode, Element } from "domhandler";
import { escapeText } from "entities";
import { Failure } from "../../domain/failures.ts";
import type { Document } from "../blocks.ts";
import { withoutData } from "../data-uris.ts";
import { decodePage } from "../decode.ts";
import { readElements } from "../html/read-elements.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import { relocate } from "../includes/origins.ts";
import { walk } from "../html/tree.ts";
import { isConcealed, removeConcealed } from "../markdown/hidden.ts";
import type { Refused } from "../markdown/index.ts";
import type { PageInput } from "../page.ts";
import { append, element } from "../tree/elements.ts";
import { createBlockBuilder, delimiter, inheritLines, stringOf, withSwitches, type BlockNode } from "./build.ts";
import { inlineHtml, nodesOf, wordsOf, type InlineNode, type Target } from "./inline.ts";
import { pagePlaces, preprocess } from "./preprocess.ts";
import { componentName, substitute } from "./attributes.ts";
import { isTooDeep } from "./depth.ts";
import { antoraPlace, isNavigation } from "./resources.ts";

/**
 * Parses a page of AsciiDoc with Asciidoctor, which reads no file: includes are in their places before. Returns the function that gives
 * its blocks, as parsing is asynchronous and reading is not.
 * @throws Failure service_unavailable without the optional package, which `load` imports
 */
export async function openAsciidoc(
  { path, bytes, files = new Map() }: PageInput,
  load: () => Promise<typeof Asciidoctor> = () => import("@asciidoctor/core"),
): Promise<() => Document | Refused> {
  const decoded = decodePage(bytes);
  // extractPage decodes the page too, and gives the reason.
  if ("code" in decoded) return () => ({ code: "too_large", reason: decoded.reason });
  // Signatures and keys have the ending `.asc` too.
  if (decoded.text.startsWith("-----BEGIN PGP ") || isNavigation(path, decoded.text))
    return () => ({ blocks: [], title: "", description: "", footnotes: new Map(), leftOut: [] });
  const library = await load().catch((error: unknown) => {
    const advice =
      "AsciiDoc is read with the package @asciidoctor/core: npm install @asciidoctor/core@4, then refresh the library.";
    throw new Failure("service_unavailable", advice, { cause: error });
  });
  const expanded = preprocess(path, decoded.text, files);
  const { text, restore } = withoutData(expanded.text);
  const lines = text.split("\n");
  const tooLarge = {
    code: "too_large",
    reason: "The page has more, or deeper nested, parts than are parsed.",
  } as const;
  if (isTooDeep(lines)) return () => tooLarge;
  const root = element("#root", {}, []);
  const unread = new Set<string>();
  const component = expanded.given.values.get(componentName);
  let title = "";
  try {
    title = await build(library, lines, expanded.given, root, unread, (to) => findPage(path, to, files, component));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return () => tooLarge;
  }
  const dropped = text.includes("<") ? removeConcealed([...walk(root)].filter(isConcealed), text) : {};
  inheritLines(root.children, 1);
  const read = { ...readElements(root, [root]), title, description: "", dropped };
  const document = restore(relocate(read, expanded, delimiter));
  const warnings = [...expanded.notes, ...[...unread].slice(0, 20).map((name) => `Macros ${name}:: are not read.`)];
  return () => ({ ...document, ...(warnings.length > 0 && { warnings }) });
}

/** Attributes that decide how the page is shown, which no document changes; null for none. */
const presentation = {
  "attribute-missing": "skip",
  experimental: "",
  relfilesuffix: ".adoc",
  "skip-front-matter": "",
  doctype: "article",
  icons: null,
  sectnums: null,
  "source-highlighter": null,
  "data-uri": null,
  toc: null,
  "figure-caption": null,
  "table-caption": null,
  "example-caption": null,
  "listing-caption": null,
};

/** Maximum number of headings that have IDs: each is compared with those of the same text. */
const maxIds = 3000;

function mayBeHeading(line: string): boolean {
  return /^(?:[=#]{1,6} |--|==|~~|\^\^|\+\+)/.test(line);
}

type Expanded = ReturnType<typeof preprocess>;

/** Adds the elements of a page to `root`; returns its title. */
async function build(
  { Html5Converter, load, LoggerManager, NullLogger, Reader }: typeof Asciidoctor,
  lines: readonly string[],
  { values, locked }: Expanded["given"],
  root: Element,
  unread: Set<string>,
  find: (target: string) => Target,
): Promise<string> {
  // Parts of the library know no other logger than this one, or none and print.
  const logger = new NullLogger();
  LoggerManager.logger = logger;
  Object.defineProperty(Reader.prototype, "logger", { value: logger, configurable: true });
  const html = new Html5Converter("html5", {});
  /** The elements of converted blocks. The converter's output for a block is its index here. */
  const built: (readonly ChildNode[])[] = [];
  const content = async (node: BlockNode): Promise<readonly ChildNode[]> => {
    const inside = stringOf(await node.content());
    return withSwitches(inside.split("\n").flatMap((number) => built[Number(number || -1)] ?? []));
  };
  const toElements = createBlockBuilder(lines, content, unread);
  const convert = async (node: InlineNode & BlockNode, transform?: string): Promise<string> => {
    const name = transform ?? node.nodeName;
    if (name.startsWith("inline_"))
      return inlineHtml(node, find) ?? stringOf(await html.convert(node as never, transform));
    built.push(await toElements(node));
    return String(built.length - 1);
  };
  const attributes = Object.fromEntries(
    [...values].map(([name, value]) => [locked.has(name) ? name : `${name}@`, value]),
  );
  const document = await load(lines.join("\n"), {
    safe: "secure",
    sourcemap: true,
    converter: { convert, backendTraits: { basebackend: "html", outfilesuffix: ".html", filetype: "html" } },
    attributes: {
      ...attributes,
      ...presentation,
      ...(lines.filter(mayBeHeading).length > maxIds && { sectids: null }),
    },
  });
  const number = await document.convert();
  const { header } = document;
  const title = header?.title ?? "";
  if (title !== "") append(root, heading(title, header?.sourceLocation?.lineno ?? 1));
  for (const node of built[Number(number)] ?? []) append(root, node);
  for (const { index, text } of document.footnotes)
    append(root, element("#footnote", { label: String(index) }, [element("p", {}, nodesOf(text ?? ""))]));
  return wordsOf(title);
}

function heading(title: string, line: number): Element {
  const built = element("h1", {}, nodesOf(title));
  [built.startIndex, built.endIndex] = [line, line];
  return built;
}

/** Maximum number of characters in which a page's title is looked for. */
const maxHead = 20_000;

/** The page that a cross reference leads to. */
function findPage(path: string, target: string, files: IncludableFiles, component?: string): Target {
  const places = pagePlaces(path, target, component);
  const root = antoraPlace(path)?.root;
  // Where another component lies is a guess.
  const place =
    places.find((one) => files.get(one) instanceof Uint8Array) ?? places.find((one) => antoraPlace(one)?.root === root);
  const content = place === undefined ? undefined : files.get(place);
  const title = content instanceof Uint8Array ? titleIn(content) : undefined;
  // IDs of Antora are no paths.
  const written = root === undefined ? target : "";
  const address = place === undefined || written !== "" ? written : relativePath(path, place);
  return { address, ...(title !== undefined && { title }) };
}

function titleIn(page: Uint8Array): string | undefined {
  const values = new Map<string, string>();
  for (const line of new TextDecoder().decode(page.subarray(0, maxHead)).split(/\r?\n/)) {
    const [, title] = /^[=#][ \t]+(\S.{0,300})$/.exec(line) ?? [];
    if (title !== undefined) return escapeText(substitute(title, values));
    const [, name = "", value = ""] = /^:([\w-]{1,100}):[ \t]+(.{1,300})$/.exec(line) ?? [];
    if (name !== "") values.set(name, value);
  }
  return undefined;
}

/** The path to a file from the folder of another. */
function relativePath(from: string, to: string): string {
  const [above, below] = [from.split("/").slice(0, -1), to.split("/")];
  let shared = 0;
  while (shared < above.length && above[shared] === below[shared]) shared++;
  return [...above.slice(shared).map(() => ".."), ...below.slice(shared)].join("/");
}
