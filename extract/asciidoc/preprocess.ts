import type { Lines } from "../blocks.ts";
import { createFinder, type IncludableFiles, type IncludedFile } from "../includes/find-file.ts";
import { placesOf } from "../includes/includable-files.ts";
import { shorten } from "../includes/expand.ts";
import { createOrigins } from "../includes/origins.ts";
import { createBudget, type Chosen, type Selection } from "../includes/selection.ts";
import { lineAt, lineCount, splitLines } from "../markdown/lines.ts";
import { applyEntry, attributePlaces, componentName, initialAttributes, substitute } from "./attributes.ts";
import { createConditions } from "./conditions.ts";
import { createCodeIncludes } from "./include-code.ts";
import { resourcePlaces, treeRoot } from "./resources.ts";

/** Files that are preprocessed when they are included. */
const asciidoc = /\.(?:adoc|asciidoc|asc|ad)$/i;

/** True for AsciiDoc, by the name of the file. */
export function isAsciidoc(path: string): boolean {
  return asciidoc.test(path);
}

/** Maximum length of a line with a directive, in characters. */
const maxLine = 2000;
const include = /^(\\)?include::([^\s[](?:[^[]*[^\s[])?)\[(.*)\]$/;
/** The lines of an included file that is not AsciiDoc which would be directives. */
const directiveLike = /^\\?(?:include|ifdef|ifndef|ifeval|endif)::/;
/** Blocks whose text has no attribute entries; directives count in all but comments. */
const delimiter = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|(`{3,})\S{0,40})$/;

/** What a line with an include asks for. */
interface Asked {
  readonly written: string;
  readonly places: readonly string[];
  readonly selection: Selection;
  readonly indent: string;
  readonly offset: string;
  readonly isOptional: boolean;
}

/** A text that is being written: the page, or an included file. */
interface Level extends IncludedFile, Pick<Chosen, "ranges" | "dedent"> {
  readonly indent: string;
  /** The including line of the page, from 0; undefined for the page itself. */
  readonly pageLine?: number;
  /** The chain of including files, this one last. */
  readonly stack: readonly string[];
}

/**
 * Evaluates the preprocessor directives of a page: conditions, and includes of files of the tree. Returns the text with the origins of its
 * lines, the attributes that it begins with, and notes on what is left out. Linear; what exceeds the limits on includes is left out.
 */
export function preprocess(path: string, source: string, files: IncludableFiles) {
  const notes: string[] = [];
  const find = createFinder(files, notes);
  const choose = createBudget();
  const given = initialAttributes(path, files, notes);
  const attributes = { values: new Map(given.values), locked: new Set(given.locked) };
  const written = write(path, source, attributes, ({ places, selection }, stack) => {
    const file = find(places, stack);
    if (typeof file === "string") return file;
    const chosen = choose(file.lines, selection);
    return typeof chosen === "string" ? chosen : { ...file, ...chosen };
  });
  notes.push(...written.notes);
  return { ...written, given, notes: shorten(notes) };
}

/** A file that a page or an included file needs. */
interface Needed {
  /** Its candidate paths in the tree, the best first. */
  readonly places: readonly string[];
  /** Its path has an attribute whose value is not known. */
  readonly isOpen: boolean;
  /** Only its title is shown. */
  readonly isLeaf?: boolean;
}

/** The files that a page or an included file needs: its includes, settings, and pages whose titles it shows. `files` are those known so far. */
export function neededFiles(path: string, source: string, files: IncludableFiles): readonly Needed[] {
  const needed: Needed[] = attributePlaces(path).map((places) => ({ places, isOpen: false }));
  const find = createFinder(files, []);
  const choose = createBudget();
  const attributes = initialAttributes(path, files);
  const component = attributes.values.get(componentName);
  write(path, source, attributes, ({ places, written, selection }, stack) => {
    if (needed.length < maxNeeded) needed.push({ places, isOpen: isOpen(written, places) });
    const file = places.some((place) => isAsciidoc(place)) ? find(places, stack) : "";
    const chosen = typeof file === "string" ? file : choose(file.lines, selection);
    return typeof file === "string" || typeof chosen === "string" ? "" : { ...file, ...chosen };
  });
  const pages = new Set<string>();
  for (const [, target = ""] of source.matchAll(/\bxref:([^\s[\]#]{1,300})(?:#[^\s[\]]{0,200})?\[\]/g))
    if (pages.size < maxPages) pages.add(target);
  for (const target of pages) {
    const places = pagePlaces(path, target, component);
    needed.push({ places, isOpen: places.length === 0 && component === undefined, isLeaf: true });
  }
  return needed;
}

/** Whether attributes that are not known yet decide a path: named ones, or the name of the page's component. */
function isOpen(written: string, places: readonly string[]): boolean {
  return /\{[\w-]+\}/.test(written) || (places.length === 0 && written.includes("$"));
}

/** Maximum number of includes that are looked for. */
const maxNeeded = 1000;
/** Maximum number of pages whose titles are looked up. */
const maxPages = 50;

/** The paths in the tree of the page that a cross reference leads to; `component` is the name of the page's own one. */
export function pagePlaces(path: string, target: string, component?: string): readonly string[] {
  const file = isAsciidoc(target) ? target : `${target}.adoc`;
  return resourcePlaces(path, file, component, "page") ?? placesOf(path, file, "page");
}

type Open = (asked: Asked, stack: readonly string[]) => (IncludedFile & Chosen) | string;

function write(path: string, source: string, attributes: ReturnType<typeof initialAttributes>, open: Open) {
  const out: string[] = [];
  const origins = createOrigins(path);
  const notes: string[] = [];
  const conditions = createConditions(attributes.values);
  const codeIncludes = createCodeIncludes(path, attributes.values);
  let fence = "";

  const add = (text: string, from: string, line: number, pageLine: number): void => {
    out.push(text);
    origins.add(from, line, pageLine);
  };
  const addMade = (text: string, pageLine: number): void => {
    out.push(text);
    origins.addMade(pageLine);
  };
  const setOffset = (value: string, pageLine: number): void => {
    addMade("", pageLine);
    addMade(`:leveloffset: ${value}`, pageLine);
    addMade("", pageLine);
  };
  /** Writes code of a page in all languages that it is found in, as tabs; false if it is in none. */
  const writeCode = (text: string, level: Level, pageLine: number): boolean => {
    const found = (codeIncludes.read(text) ?? []).flatMap(({ language, directive }) => {
      const asked = askedBy(directive, level.path, path, attributes.values);
      const file = asked && open(asked, level.stack);
      return asked === undefined || file === undefined || typeof file === "string" ? [] : [{ language, asked, file }];
    });
    if (found.length === 0) return false;
    // One block of all, so that they stay in the item of a list that continues with them.
    addMade("==========", pageLine);
    for (const [at, { language, asked, file }] of found.entries()) {
      addMade(`[source,${language},role=${at === 0 ? "primary" : "secondary"}]`, pageLine);
      addMade("----------", pageLine);
      writeLevel({ ...file, indent: asked.indent, pageLine, stack: [...level.stack, file.path] });
      addMade("----------", pageLine);
    }
    addMade("==========", pageLine);
    return true;
  };
  const writeInclude = (asked: Asked, level: Level, pageLine: number): void => {
    const file = open(asked, level.stack);
    if (typeof file === "string") {
      if (!asked.isOptional)
        notes.push(
          `Line ${pageLine + 1} includes ${asked.written.replace(`${treeRoot}/`, "").slice(0, 200)}, which ${file}.`,
        );
      return;
    }
    const shifts = asked.offset !== "" && fence === "";
    const before = attributes.values.get("leveloffset") ?? "0";
    if (shifts) setOffset(asked.offset, pageLine);
    writeLevel({ ...file, indent: asked.indent, pageLine, stack: [...level.stack, file.path] });
    if (shifts) setOffset(/^[+-]/.test(asked.offset) ? negated(asked.offset) : before, pageLine);
  };
  const writeLevel = (level: Level): void => {
    const { path: from, lines, ranges, dedent, indent } = level;
    const depth = conditions.depth();
    const isText = level.pageLine === undefined || isAsciidoc(from);
    for (const [first, end] of ranges) {
      for (let line = first; line < end; line++) {
        const pageLine = level.pageLine ?? line;
        const text = shifted(lineAt(lines, line), dedent, indent);
        if (!isText) {
          add(directiveLike.test(text) ? `\\${text}` : text, from, line, pageLine);
          continue;
        }
        const isComment = fence.startsWith("////");
        if (!isComment && text.length < maxLine && text.includes("::")) {
          const condition = conditions.read(text);
          if (condition !== undefined) {
            if (condition !== "") add(condition, from, line, pageLine);
            continue;
          }
          if (!conditions.isShown()) continue;
          const asked = askedBy(text, from, path, attributes.values);
          if (asked !== undefined) {
            writeInclude(asked, level, pageLine);
            continue;
          }
          if (fence === "" && writeCode(text, level, pageLine)) continue;
        } else if (!conditions.isShown()) continue;
        add(text, from, line, pageLine);
        if (text === fence) fence = "";
        else if (fence === "") {
          const [marker, ticks] = (text.length < 200 && delimiter.exec(text)) || [];
          if (marker !== undefined) fence = ticks ?? marker;
          else {
            const whole = joined(text, (at) => (line + at < end ? lineAt(lines, line + at) : undefined));
            applyEntry(whole, attributes);
            codeIncludes.follow(text);
          }
        }
      }
    }
    // A condition ends with its file.
    conditions.closeTo(depth);
  };

  const lines = splitLines(source);
  writeLevel({ path, lines, ranges: [[0, lineCount(lines)]], dedent: 0, indent: "", stack: [path] });
  return { text: out.join("\n"), origins, notes };
}

/** The include that a line consists of; undefined for any other line. `page` is the one that includes the file `from`. */
function askedBy(text: string, from: string, page: string, values: ReadonlyMap<string, string>): Asked | undefined {
  const [, escaped, target, list = ""] = include.exec(text) ?? [];
  if (target === undefined || escaped !== undefined) return undefined;
  const written = substitute(target, values);
  const options = optionsOf(substitute(list, values));
  const tags = (options.get("tags") ?? options.get("tag"))?.split(/[,;]/).map((tag) => tag.trim());
  const lines = options.get("lines");
  const indent = Number(options.get("indent") ?? Number.NaN);
  return {
    written,
    places: placesIn(from, page, written, values.get(componentName)),
    selection: {
      ...(lines !== undefined && lines !== "" ? { lines: linesOf(lines) } : tags?.some(Boolean) && { tags }),
      ...(indent >= 0 && { dedent: true }),
    },
    indent: " ".repeat(Math.min(indent || 0, 20)),
    offset: /^[+-]?\d$/.exec(options.get("leveloffset") ?? "")?.[0] ?? "",
    isOptional: options.get("opts") === "optional" || options.has("%optional"),
  };
}

function placesIn(from: string, page: string, written: string, component?: string): readonly string[] {
  if (written.startsWith(treeRoot)) return placesOf("", written.slice(treeRoot.length + 1), "page");
  // Antora resolves the IDs in a partial against the page.
  const resource = written.includes("$")
    ? (resourcePlaces(from, written, component) ?? resourcePlaces(page, written, component))
    : undefined;
  return resource ?? placesOf(from, written, "page");
}

/** `tag=a,lines="1..3,5",indent=0` by names; an option without a value begins with `%`. */
function optionsOf(list: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [, name = "", double, single, bare = ""] of list.matchAll(
    /(%?[\w-]{1,30})(?:[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^,\]]*)))?/g,
  ))
    if (!options.has(name)) options.set(name, (double ?? single ?? bare).trim());
  return options;
}

/** Parses `1..4;8;10..-1`. */
function linesOf(text: string): readonly Lines[] {
  return text.split(/[,;]/).flatMap((part): readonly Lines[] => {
    const [, first = "", last] = /^(\d+)(?:\.\.(-?\d*))?$/.exec(part.replace(/\s/g, "")) ?? [];
    if (first === "") return [];
    const end = last === undefined ? Number(first) : last === "" || Number(last) < 0 ? Infinity : Number(last);
    return [[Math.max(1, Number(first)), end]];
  });
}

/** The line of an attribute entry with those that continue it. */
function joined(text: string, lineFrom: (at: number) => string | undefined): string {
  if (!text.startsWith(":") || !/ (?:\+ )?\\$/.test(text)) return text;
  let whole = text;
  for (let at = 1; at < 100 && whole.endsWith(" \\"); at++)
    whole = `${whole.slice(0, -2).replace(/ \+$/, "")} ${(lineFrom(at) ?? "").trim()}`;
  return whole;
}

function shifted(text: string, dedent: number, indent: string): string {
  if (dedent === 0 && indent === "") return text;
  return text.trim() === "" ? "" : indent + text.slice(dedent);
}

function negated(offset: string): string {
  return (offset.startsWith("-") ? "+" : "-") + offset.slice(1);
}
