import { element } from "../tree/elements.ts";
import type { Document } from "../blocks.ts";
import { decodePage } from "../decode.ts";
import { readElements } from "../html/read-elements.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import type { Refused } from "../markdown/index.ts";
import type { PartReader } from "../markdown/rst-parts.ts";
import { readBlocks } from "./blocks.ts";
import { noConf, readConf, type Conf } from "./conf.ts";
import { createDocument } from "./document.ts";
import { createIncluder } from "./include.ts";
import { createPageFinder } from "./page-finder.ts";
import { toTextLines, type TextLines } from "./lines.ts";
import { confPlaces, isHttpRequests, isInSphinx } from "./places.ts";
import type { Described, Directive, Reader, Scope } from "./reader.ts";

/** What a page of reStructuredText is read with. */
export interface RstOptions {
  /** Path in the tree, with forward slashes. */
  readonly path?: string;
  /** The files that it includes, and the configuration. */
  readonly files?: IncludableFiles;
}

/** Maximum number of warnings of a page; one more counts the rest. */
const maxWarnings = 20;

/** A page with directives of autodoc. */
interface AutodocContext {
  readonly path: string;
  readonly files: IncludableFiles;
  readonly conf: Conf;
}

/** Creates the function that finds what a directive of autodoc shows in the sources of the repository. `module`: the current one. */
export type Autodoc = (context: AutodocContext) => (directive: Directive, module: string) => readonly Described[];

/** Creates the reader of reStructuredText, with the directives of docutils, Sphinx and its common extensions. */
export function createRstReader(autodoc: Autodoc = noAutodoc) {
  return (source: string, options: RstOptions = {}): Document | Refused => {
    const { reader, document, conf, finish } = open(source, options, autodoc);
    const scope: Scope = { hasTitles: true, depth: 0, prefix: "" };
    const root = element("#root", {}, []);
    const silent = element("#root", {}, []);
    for (const text of [conf.prolog, conf.epilog])
      if (text !== "") reader.blocks(toTextLines(text), silent, { ...scope, hasTitles: false });
    if (!isHttpRequests(document.path, source)) reader.blocks(withoutMetadata(toTextLines(source)), root, scope);
    const warnings = finish();
    return {
      ...readElements(root, [root], {}),
      title: "",
      description: "",
      ...(warnings.length > 0 && { warnings }),
    };
  };
}

const noAutodoc: Autodoc = () => () => [];

/** Creates the reader of the parts of a page of another format that are in reStructuredText. */
export function createRstParts(source: string, options: RstOptions = {}, autodoc: Autodoc = noAutodoc): PartReader {
  let opened: ReturnType<typeof open> | undefined;
  return {
    read(lines) {
      const { reader } = (opened ??= open(source, options, autodoc));
      const root = element("#root", {}, []);
      reader.blocks(lines, root, { hasTitles: true, depth: 0, prefix: "" });
      return root.children;
    },
    isSphinx: isInSphinx(options.path ?? "", options.files ?? new Map()),
    titleOf: (target) => (opened ??= open(source, options, autodoc)).pageOf(target)?.title,
    finish: () => opened?.finish() ?? [],
  };
}

/** Begins to read a page; `finish` reads its texts, and returns what its reader should know. */
function open(source: string, { path = "", files = new Map() }: RstOptions, autodoc: Autodoc) {
  const conf = confOf(path, files);
  const pageOf = createPageFinder(path, files, conf.folder, source.length);
  const document = createDocument({ path, conf, pageOf }, source.length);
  if (/\r\n/.test(source.slice(0, 2000))) document.newline = "\r\n";
  const includer = createIncluder(path, conf.folder, files, document.warnings);
  const describe = autodoc({ path, files, conf });
  const reader: Reader = {
    document,
    blocks: (lines, into, scope) => readBlocks(lines, into, scope, reader),
    include: includer.include,
    autodoc: (directive) => describe(directive, document.module),
  };
  const finish = (): readonly string[] => {
    document.finish();
    const warnings = [...includer.notes, ...document.warnings];
    return warnings.length <= maxWarnings
      ? warnings
      : [...warnings.slice(0, maxWarnings), `${warnings.length - maxWarnings} more includes are left out.`];
  };
  return { reader, document, conf, pageOf, finish };
}

function confOf(path: string, files: IncludableFiles): Conf {
  const place = confPlaces(path).find((one) => files.get(one) instanceof Uint8Array);
  const bytes = place === undefined ? undefined : files.get(place);
  if (place === undefined || !(bytes instanceof Uint8Array)) return noConf;
  const decoded = decodePage(bytes);
  return "code" in decoded ? noConf : readConf(decoded.text, place.slice(0, Math.max(0, place.lastIndexOf("/"))));
}

/** Lines without the fields before the title, which are instructions to Sphinx. */
function withoutMetadata(lines: TextLines): TextLines {
  const first = lines.findIndex(({ text }) => text.trim() !== "" && !/^\.\.(?:\s|$)|^\s/.test(text));
  let end = first;
  while (
    end >= 0 &&
    end < lines.length &&
    /^:(?:orphan|tocdepth|nocomments|nosearch|layout|html_theme)[^:]*:|^\s/.test(lines[end]?.text.trimEnd() ?? "") &&
    (end > first || (lines[end]?.text ?? "").startsWith(":"))
  )
    end++;
  return end <= first
    ? lines
    : [
        ...lines.slice(0, first),
        ...lines.slice(first, end).map((line) => ({ ...line, text: "" })),
        ...lines.slice(end),
      ];
}
