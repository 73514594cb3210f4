import { isTag, Text, type Element } from "domhandler";
import { calloutLabel, isCallout } from "../markdown/callouts.ts";
import { createBuilder } from "../markdown/element-builder.ts";
import { append, element } from "../tree/elements.ts";
import { codeIn, readCode, readLiteralInclude, readParsedLiteral } from "./code.ts";
import { codeLanguage } from "./conf.ts";
import { placed, plainTextOf } from "./document.ts";
import { dedent, textOfLines, trimBlank } from "./lines.ts";
import { addDescribed, isObject, readObject } from "./objects.ts";
import { button, card, codeGroup, codeTab, inside, tab, titledBlock } from "./panels.ts";
import { argumentOf, type Directive, type ReadDirective, type Reader } from "./reader.ts";
import { readCsvTable, readListTable, readTitledTable } from "./table-directives.ts";

/** Directives whose whole text is content. */
export const noArgument =
  /^(?:note|warning|caution|danger|error|hint|important|tip|attention|seealso|todo|epigraph|highlights|pull-quote|compound|parsed-literal|math|glossary|replace|line-block|tabs|tab-set|tab-set-code|grid-item|hlist|centered|impl-detail|details-content|testsetup|testcleanup|testcode|testoutput|doctest|productionlist|toctree|autosummary|card-carousel|meta|unicode)$/;

function add(made: Element, into: Element): void {
  append(into, made);
}

const nothing: ReadDirective = () => {};

const content: ReadDirective = (directive, into, reader) => void inside(directive, into, reader);

/** The content of a directive that is as if it were not there. */
const transparent: ReadDirective = ({ body, scope }, into, { blocks }) =>
  blocks(body, into, { ...scope, depth: scope.depth + 1 });

/** Content that is a quotation, with who said it. */
const quotation: ReadDirective = ({ body, scope }, into, { blocks }) =>
  blocks(
    body.map((line) => (line.text.trim() === "" ? line : { ...line, text: ` ${line.text}` })),
    into,
    { ...scope, hasTitles: false, depth: scope.depth + 1 },
  );

/** An element around the content. */
function wrapped(name: string): ReadDirective {
  return (directive, into, reader) => add(inside(directive, placed(name, {}, directive.lines), reader), into);
}

function callout(kind: string): ReadDirective {
  return (directive, into, reader) => {
    const made = placed("#callout", { label: calloutLabel(kind, "") }, directive.lines);
    const title = argumentOf(directive);
    if (title !== "")
      reader.document.after(
        () => void (made.attribs["label"] = calloutLabel(kind, plainTextOf(title, reader.document))),
      );
    add(inside(directive, made, reader), into);
  };
}

const admonition: ReadDirective = (directive, into, reader) => {
  const kind = (directive.options.get("class") ?? "").split(/\s+/).find(isCallout) ?? "note";
  callout(kind)(directive, into, reader);
};

/** `versionadded:: 2.0 What it is`, with its text on the same line. */
function version(words: (version: string) => string): ReadDirective {
  return (directive, into, reader) => {
    const { args, body } = directive;
    const [, number = "", rest = ""] =
      /^(\S*)(?:\s+(\S[^]*)?)?$/.exec(args.map(({ text }) => text.trim()).join("\n")) ?? [];
    const made = inside(directive, element("div", {}, []), reader, trimBlank(body));
    const [first, ...others] = made.children;
    const joinsFirst = rest === "" && first !== undefined && isTag(first) && first.name === "p";
    const lead = words(number);
    const text = rest === "" ? (joinsFirst ? `${lead}: ` : `${lead}.`) : `${lead}: ${rest}`;
    const head = placed("p", {}, directive.lines);
    reader.document.later(head, text);
    if (joinsFirst) {
      // The words of the first paragraph come after the version.
      reader.document.after(() => {
        for (const child of first.children) append(head, child);
      });
    }
    add(head, into);
    for (const child of joinsFirst ? others : made.children) append(into, child);
  };
}

const section: ReadDirective = (directive, into, reader) => {
  const made = placed("#section", {}, directive.lines);
  const title = argumentOf(directive);
  if (title === "") return void inside(directive, into, reader);
  reader.document.after(() => void (made.attribs["title"] = plainTextOf(title, reader.document)));
  add(inside(directive, made, reader), into);
};

const math: ReadDirective = ({ body, lines }, into) => {
  const text = textOfLines(body)
    .trim()
    .replace(/\n\s*\n/g, "\n");
  if (text === "") return;
  const made = placed("#formula", {}, lines);
  append(made, new Text(`$$\n${text}\n$$`));
  append(into, made);
};

const image: ReadDirective = ({ options, lines }, into) => {
  const made = placed("p", {}, lines);
  append(made, element("img", { alt: options.get("alt") ?? "" }, []));
  append(into, made);
};

/** HTML of the page; other formats are not shown on websites. */
const raw: ReadDirective = (directive, into) => {
  const { body, lines } = directive;
  if (!/^html\b/i.test(argumentOf(directive)) || body.length === 0) return;
  const builder = createBuilder();
  builder.html(`${textOfLines(body)}\n`, body[0]?.at ?? 1);
  const { root } = builder.end("");
  root.name = "div";
  [root.startIndex, root.endIndex] = [lines[0]?.at ?? null, lines.at(-1)?.at ?? null];
  append(into, root);
};

const names = new Set("html builder_html format_html dirhtml builder_dirhtml singlehtml".split(" "));

/** `only:: html and not draft`, as a website shows it. */
const only: ReadDirective = (directive, into, reader) => {
  const isTrue = (word: string): boolean => {
    const bare = word.trim().replace(/[()]/g, "");
    return bare.startsWith("not ") ? !names.has(bare.slice(4).trim()) : names.has(bare);
  };
  const expression = argumentOf(directive);
  if (
    expression === "" ||
    expression.split(/\sor\s/).some((part) => part.split(/\sand\s/).every((one) => isTrue(one.trim())))
  )
    transparent(directive, into, reader);
};

const include: ReadDirective = (directive, into, reader) => {
  const { options, scope } = directive;
  if (options.has("literal") || options.has("code")) return readLiteralInclude(directive, into, reader);
  const shown = reader.include(directive);
  if (shown !== undefined) reader.blocks(shown.lines, into, { ...scope, depth: scope.depth + 1 });
};

const role: ReadDirective = (directive, _into, { document }) => {
  const [, name, base = ""] = /^([\w.:+-]{1,60})\s*(?:\(([\w.:+-]{1,60})\))?/.exec(argumentOf(directive)) ?? [];
  if (name !== undefined) document.roles.set(name.toLowerCase(), { base: base.toLowerCase() });
};

/** The terms of a glossary: several lines may have one description. */
const glossary: ReadDirective = (directive, into, reader) => {
  const list = placed("dl", {}, directive.lines);
  const { body } = directive;
  for (let at = 0; at < body.length;) {
    const line = body[at];
    if (line === undefined || line.text.trim() === "" || /^\.\.(?:\s|$)/.test(line.text)) {
      at++;
      continue;
    }
    if (/^\S/.test(line.text)) {
      const term = placed("dt", {}, [line]);
      reader.document.later(
        term,
        line.text
          .trim()
          .replace(/\s{1,20}:\s{1,20}\S{1,200}$/, "")
          .trimEnd(),
      );
      append(list, term);
      at++;
      continue;
    }
    let end = at;
    while (end < body.length && !/^\S/.test(body[end]?.text ?? "")) end++;
    const block = body.slice(at, end);
    append(list, inside(directive, placed("dd", {}, trimBlank(block)), reader, dedent(block)));
    at = end;
  }
  add(list, into);
};

const rubric: ReadDirective = (directive, into, { document }) => {
  const strong = element("strong", {}, []);
  document.later(strong, argumentOf(directive));
  const made = placed("p", {}, directive.lines);
  append(made, strong);
  append(into, made);
};

function autodoc(directive: Directive, into: Element, reader: Reader, all = reader.autodoc(directive)): void {
  const { document } = reader;
  if (directive.name === "automodule") document.module = argumentOf(directive);
  for (const one of all) addDescribed(one, { ...directive, lines: directive.lines.slice(0, 1) }, into, reader);
  // What is written below a directive follows the docstring.
  if (directive.name !== "autosummary" && directive.body.length > 0) inside(directive, into, reader);
}

function setting(set: (value: string, reader: Reader) => void): ReadDirective {
  return (directive, into, reader) => {
    set(argumentOf(directive), reader);
    inside(directive, into, reader);
  };
}

const module: ReadDirective = setting((name, { document }) => void (document.module = name === "None" ? "" : name));

/** A directive that is not known: what autodoc shows of an object, an object of its domain, or its content below its argument. */
export const readUnknown: ReadDirective = (directive, into, reader) => {
  const { name, body } = directive;
  // Extensions have kinds of objects of their own, whose directives name objects of Python too.
  const found = /^auto[a-z_]{3,30}$/.test(name) ? reader.autodoc(directive) : [];
  if (
    found.length > 0 ||
    /^auto(?:module|class|function|method|attribute|data|exception|decorator|property|enum|pydantic_\w+)$/.test(name)
  )
    autodoc(directive, into, reader, found);
  else if (isObject(name)) readObject(directive, into, reader);
  else if (body.length > 0) (argumentOf(directive) === "" ? content : titledBlock)(directive, into, reader);
};

const added = version((number) => `Added in version ${number}`);
const changed = version((number) => `Changed in version ${number}`);
const deprecated = version((number) => `Deprecated since version ${number}`);
const removed = version((number) => `Removed in version ${number}`);

const table: Readonly<Record<string, ReadDirective>> = {
  "code-block code sourcecode prompt": readCode,
  literalinclude: readLiteralInclude,
  "parsed-literal": readParsedLiteral,
  "doctest testcode ipython jupyter-execute plot pyscript code-cell": codeIn("python"),
  "testoutput productionlist": codeIn("text"),
  "graphviz digraph graph": codeIn("dot"),
  "uml plantuml": codeIn("plantuml"),
  mermaid: codeIn("mermaid"),
  "highlight highlightlang": setting(
    (name, { document }) => void (document.highlight = codeLanguage(name.split(/\s/, 1)[0] ?? "")),
  ),
  "note todo": callout("note"),
  seealso: callout("seealso"),
  "warning caution attention": callout("warning"),
  "danger error": callout("danger"),
  "hint tip": callout("tip"),
  important: callout("important"),
  admonition,
  "impl-detail": (directive, into, reader) =>
    callout("note")(
      {
        ...directive,
        args: directive.lines.slice(0, 1).map((line) => ({ ...line, text: "CPython implementation detail" })),
      },
      into,
      reader,
    ),
  "versionadded version-added": added,
  "versionchanged version-changed": changed,
  "deprecated version-deprecated": deprecated,
  "versionremoved version-removed": removed,
  "deprecated-removed": (directive, into, reader) => {
    const [from = "", to = "", ...rest] = argumentOf(directive).split(/\s+/);
    const args = directive.args.slice(0, 1).map((line) => ({ ...line, text: `${from} ${rest.join(" ")}` }));
    version((number) => `Deprecated since version ${number}, will be removed in version ${to}`)(
      { ...directive, args },
      into,
      reader,
    );
  },
  "tabs tab-set": wrapped("#tabs"),
  "tab tab-item group-tab": tab,
  "code-tab": codeTab,
  "tab-set-code": codeGroup,
  "grid grid-item card-carousel hlist compound container rst-class details-content div flat-table": content,
  // A class of Python, or of the elements in docutils.
  class: (directive, into, reader) =>
    (/[A-Z(.]/.test(argumentOf(directive)) ? readObject : content)(directive, into, reader),
  "card grid-item-card": card,
  "dropdown details collapse toggle": section,
  "button-link button-ref": button,
  "topic sidebar": titledBlock,
  table: readTitledTable,
  "list-table": readListTable,
  "csv-table": readCsvTable,
  "image figure-md": image,
  figure: (directive, into, reader) => {
    image(directive, into, reader);
    inside(directive, into, reader);
  },
  math,
  only,
  ifconfig: transparent,
  include,
  raw,
  role,
  glossary,
  "rubric centered": rubric,
  "epigraph highlights pull-quote blockquote": quotation,
  "module py:module currentmodule py:currentmodule": module,
  "default-domain": setting((name, { document }) => void (document.domain = name)),
  "default-role": setting((name, { document }) => void (document.defaultRole = name)),
  autosummary: (directive, into, reader) => autodoc(directive, into, reader),
  "program toctree contents index meta sectnum section-numbering header footer tabularcolumns todolist title codeauthor sectionauthor moduleauthor target-notes inheritance-diagram testsetup testcleanup audit-event bibliography youtube video ad image-sg":
    nothing,
};

/** Directives by their names. */
export const directives: ReadonlyMap<string, ReadDirective> = new Map(
  Object.entries(table).flatMap(([words, read]) => words.split(" ").map((word) => [word, read] as const)),
);
