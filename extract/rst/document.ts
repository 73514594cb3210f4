import { Text, type ChildNode, type Element } from "domhandler";
import { append, element } from "../tree/elements.ts";
import type { Conf } from "./conf.ts";
import { readInline } from "./inline.ts";
import type { createPageFinder } from "./page-finder.ts";
import type { TextLines } from "./lines.ts";
import { plainTitle } from "./references.ts";
import { readRole, type CustomRole } from "./roles.ts";

/** What a document is read with. */
export interface Setting {
  /** Path in the tree, with forward slashes. */
  readonly path: string;
  readonly conf: Conf;
  /** Another page, by its name in a reference. */
  readonly pageOf: ReturnType<typeof createPageFinder>;
}

/** The state of a document while it is read, whose text is read last, when all definitions are known. */
export type RstDocument = ReturnType<typeof createDocument>;

/** Maximum number of characters that substitutions add, beyond twice the document. */
const maxSubstituted = 20_000;

/** Creates the state of one document. `length`: its number of characters. */
export function createDocument({ path, conf, pageOf }: Setting, length: number) {
  const targets = new Map<string, string>();
  const anonymous: string[] = [];
  const substitutions = new Map<string, { readonly kind: string; readonly text: string }>();
  const roles = new Map<string, CustomRole>([...conf.links].map(([name, pair]) => [name, { base: "", link: pair }]));
  const labels = new Map<string, string>();
  const notes: { readonly element: Element; readonly name: string }[] = [];
  const named = new Map<string, string>();
  const numbered: string[] = [];
  const referenced = new Set<string>();
  const ids = new Set<string>();
  const pending: (() => void)[] = [];
  const waiting: string[] = [];
  let [next, nextNote, left] = [0, 0, 2 * length + maxSubstituted];

  const document = {
    /** The end of each line. */
    newline: "\n",
    path,
    conf,
    pageOf,
    roles,
    warnings: new Set<string>(),
    /** Language of code that names none; "" if unknown. */
    highlight: conf.language,
    defaultRole: conf.defaultRole,
    /** The module and the domain that the names of objects are in. */
    module: "",
    domain: conf.domain,
    /** Titles above the section that is read: their characters, in the order of their first use. */
    styles: [] as string[],

    /** Names a target; "" for a place in the document. */
    define(name: string, address: string): void {
      const key = keyOf(name);
      if (address !== "" || !targets.has(key)) targets.set(key, address);
    },
    defineAnonymous: (address: string): void => void anonymous.push(address),
    defineSubstitution: (name: string, kind: string, text: string): void =>
      void substitutions.set(name, { kind, text }),
    /** Names what comes next. */
    addPending(name: string): void {
      waiting.push(name);
      document.define(name, "");
    },
    takePending: (): readonly string[] => waiting.splice(0),
    /** Ends the names that wait, with the title of the section that has them; "" for other content. */
    nameSection(title: string): void {
      if (waiting.length === 0) return;
      for (const name of waiting.splice(0)) if (title !== "") labels.set(keyOf(name), title);
    },
    titleAt(label: string): string | undefined {
      const title = labels.get(keyOf(label));
      return title === undefined ? undefined : plainTitle(title);
    },
    addNote: (note: Element, name: string): void => void notes.push({ element: note, name }),
    /** An id for a heading, "" if another one has it. */
    idOf(title: string): string {
      const id = makeId(title);
      if (ids.has(id)) return "";
      ids.add(id);
      return id;
    },

    /** The address of a target: "" for a place in the document, undefined for an unknown name. */
    reference(name: string, isAnonymous: boolean): string | undefined {
      if (isAnonymous) return resolve(anonymous[next++]);
      return resolve(targets.get(keyOf(name)));
    },
    /** The label of a footnote by what is in the brackets; undefined for citations. */
    note(label: string): string | undefined {
      const found = label === "#" || label === "*" ? numbered[nextNote++] : named.get(label.replace(/^#/, ""));
      if (found !== undefined) referenced.add(found);
      return found;
    },
    /** What is shown for a name between bars; undefined for an unknown name. */
    substitution(name: string, depth: number): readonly ChildNode[] | undefined {
      const key = name.trim().replace(/\s+/g, " ");
      const found = substitutions.get(key) ?? substitutions.get(key.toLowerCase());
      if (found === undefined) {
        const value = conf.values.get(key);
        return value === undefined ? undefined : [new Text(value)];
      }
      const { kind, text } = found;
      left -= text.length;
      if (left < 0) return [];
      if (kind === "image") return [element("img", { alt: text }, [])];
      if (kind === "unicode") return [new Text(unicodeOf(text))];
      return kind === "replace" ? readInline(text, document, depth) : [];
    },

    role: (name: string, inner: string): readonly ChildNode[] => readRole(name, inner, document),
    /** Fills an element with text when the document has been read. Lines of `texts` are separated by breaks. */
    later(parent: Element, ...texts: readonly string[]): void {
      pending.push(() => {
        for (const [at, text] of texts.entries()) {
          if (at > 0) append(parent, element("br", {}, []));
          for (const node of readInline(text, document)) append(parent, node);
        }
      });
    },
    after: (work: () => void): void => void pending.push(work),
    /** Reads the texts. */
    finish(): void {
      const used = new Set(notes.map(({ name }) => name.replace(/^#/, "")));
      let number = 0;
      for (const { element: note, name } of notes) {
        let label = name.replace(/^#/, "");
        if (name === "#" || name === "*") {
          do number++;
          while (used.has(String(number)));
          label = String(number);
          numbered.push(label);
        }
        note.attribs["label"] = label;
        if (!named.has(label)) named.set(label, label);
      }
      for (const work of pending) work();
      // A footnote that nothing refers to is text.
      for (const { element: note } of notes) if (!referenced.has(note.attribs["label"] ?? "")) note.name = "div";
    },
  };
  /** Follows a target that is another name. */
  function resolve(address: string | undefined): string | undefined {
    let found = address;
    for (let depth = 0; depth < 5 && found !== undefined && found.startsWith("\0"); depth++)
      found = targets.get(keyOf(found.slice(1)));
    return found?.startsWith("\0") === true ? "" : found;
  }
  return document;
}

/** Text within a line, without markup. */
export function plainTextOf(text: string, document: RstDocument): string {
  return readInline(text, document).map(wordsIn).join("");
}

function wordsIn(node: ChildNode): string {
  if (node instanceof Text) return node.data;
  if (!("children" in node)) return "";
  return node.children.map(wordsIn).join("");
}

/** Names are equal without regard to case and blanks. */
function keyOf(name: string): string {
  return name.trim().replace(/\s+/g, " ").toLowerCase();
}

/** The fragment that docutils makes of a title. */
function makeId(title: string): string {
  return title
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036F]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[-\d]+|(?<!-)-+$/g, "");
}

/** `0xA9 text U+2014` (docutils, "Unicode Character Codes"). */
function unicodeOf(text: string): string {
  return text
    .replace(/(?:^|\s)\.\.\s[^]*$/, "")
    .split(/\s+/)
    .map((word) => {
      const hex = /^(?:0x|x|\\x|U\+|u|\\u|&#x)([0-9a-f]{1,6});?$/i.exec(word)?.[1];
      const code = hex === undefined ? (/^\d{1,7}$/.test(word) ? Number(word) : undefined) : Number.parseInt(hex, 16);
      return code === undefined || code > 0x10_ff_ff || (code >= 0xd800 && code < 0xe000)
        ? word
        : String.fromCodePoint(code);
    })
    .join("");
}

/** A paragraph with text. */
export function paragraph(document: RstDocument, lines: TextLines, text: string): Element {
  const made = placed("p", {}, lines);
  document.later(made, text);
  return made;
}

/** An element for lines of the page. */
export function placed(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  lines: TextLines,
): Element {
  const made = element(name, attributes, []);
  made.startIndex = lines[0]?.at ?? null;
  made.endIndex = lines.at(-1)?.at ?? null;
  return made;
}
