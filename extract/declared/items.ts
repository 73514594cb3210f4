import type { Node } from "@vscode/tree-sitter-wasm";
import type { Document } from "../blocks.ts";
import {
  fileTitle,
  linesFrom,
  maxDeclared,
  maxWhole,
  toDocument,
  withoutOpening,
  type CommentPart,
  type Declaration,
} from "./document.ts";
import { childrenOf, headOf, loadGrammar } from "./grammar.ts";
import { withoutMarkers, type JsDoc } from "./jsdoc.ts";
import { languages, type Language, type LanguageName } from "./languages.ts";

/** Maximum depth of items in one another, and length of a value, in characters. */
const maxDepth = 20;
const maxValue = 300;

/** A block of items. */
interface Scope {
  /** Of the items, such as `Server.`. */
  readonly prefix: string;
  /** The node type of the item around; "" at the top. */
  readonly within: string;
  readonly depth: number;
}

/** Creates the reader of a language: the public items of a file with their doc comments. */
export async function createItemReader(
  name: LanguageName,
): Promise<(source: string, options?: { readonly path?: string }) => Document> {
  const language = languages[name];
  const parse = await loadGrammar(language.grammar);
  return (source, { path = "" } = {}) =>
    parse(language.prepare?.(source) ?? source, (root) => {
      const { declared, comment } = collectItems(root, source, language);
      return toDocument({ title: fileTitle(path, /\.\w{1,4}$/), language: languageOf(name, path), comment, declared });
    });
}

function languageOf(name: LanguageName, path: string): string {
  return name === "cpp" && path.endsWith(".h") ? "c" : name;
}

function collectItems(
  root: Node,
  source: string,
  language: Language,
): { readonly declared: readonly Declaration[]; readonly comment: readonly CommentPart[] } {
  const declared: Declaration[] = [];
  const { kinds, inside, separator } = language;
  let comment: readonly CommentPart[] = [];
  /** The comments before the next item. */
  let pending: Node[] = [];
  let lastRow = -1;
  const takeDoc = (item: Node): JsDoc => {
    const comments = pending;
    pending = [];
    const last = comments.at(-1);
    const isBeside = last !== undefined && item.startPosition.row <= rowAfter(last);
    return isBeside ? docOf(comments, language) : noDoc;
  };

  const collect = (block: Node, scope: Scope): void => {
    let isOpen = language.isOpen(scope.within);
    for (const item of childrenOf(block)) {
      if (declared.length >= maxDeclared || scope.depth > maxDepth) return;
      if (item.type.endsWith("comment")) {
        const last = pending.at(-1);
        if (item.startPosition.row === lastRow) continue;
        if (last !== undefined && item.startPosition.row > rowAfter(last)) pending = [];
        pending.push(item);
        continue;
      }
      isOpen = language.section?.(item) ?? isOpen;
      const inner = language.unwrap?.(item) ?? item;
      const kind = kinds.get(inner.type);
      if (kind === undefined) {
        if (inside.has(inner.type)) collect(inner, { ...scope, depth: scope.depth + 1 });
        else {
          // A comment before the first statement that is no item is about the file.
          if (declared.length === 0 && comment.length === 0) comment = docOf(pending, language).parts;
          pending = [];
        }
        lastRow = item.endPosition.row;
        continue;
      }
      const doc = takeDoc(item);
      const name = language.nameOf(inner);
      lastRow = item.endPosition.row;
      if (name === undefined || doc.isInternal || !language.isPublic(inner, { isOpen, within: scope.within })) continue;
      const qualified = `${scope.prefix}${name}`;
      const isWhole = language.isWhole(inner) && item.endIndex - item.startIndex <= maxWhole;
      if (doc.parts.length > 0 || language.needsDoc?.(inner) !== true) {
        const signature = signatureOf(source, item, inner, isWhole);
        const lines = linesFrom(item.startPosition.row + 1, signature);
        declared.push({ name: qualified, kind, signature, lines, comment: doc.parts });
      }
      if (isWhole || !language.holds.has(inner.type)) continue;
      collect(inner, { prefix: `${qualified}${separator}`, within: inner.type, depth: scope.depth + 1 });
      pending = [];
    }
  };
  collect(root, { prefix: "", within: "", depth: 0 });
  return { declared, comment };
}

/** An item without its body, or a long value. */
function signatureOf(source: string, start: Node, item: Node, isWhole: boolean): string {
  const body = isWhole ? null : bodyOf(item);
  const head = headOf(source, item, body, start.startIndex);
  if (body !== null || isWhole || head.length <= maxValue) return withoutOpening(head);
  const value = head.search(/=\s/);
  return (value > 0 ? head.slice(0, value) : head.slice(0, maxWhole)).trimEnd();
}

/** The first part of an item that is not its signature. */
function bodyOf(item: Node): Node | null {
  const body = item.childForFieldName("body");
  const before = childrenOf(item).find(({ type }) => /comment$|^field_initializer_list$/.test(type));
  return before && body && before.startIndex < body.startIndex ? before : body;
}

const noDoc: JsDoc = { parts: [], isInternal: false };

function docOf(comments: readonly Node[], { isDoc, readDoc }: Language): JsDoc {
  const own = comments.filter(({ text }) => isDoc.test(text));
  const [first] = own;
  if (first === undefined || isLicence(own)) return noDoc;
  // Of several blocks only the last belongs to the item.
  const last = own.at(-1);
  const shown = last?.text.startsWith("/*") === true ? [last] : own;
  const [begin] = shown;
  return readDoc(shown.flatMap(linesOfComment), (begin ?? first).startPosition.row + 1);
}

function isLicence(comments: readonly Node[]): boolean {
  return comments.slice(0, 3).some(({ text }) => /copyright|licen[cs]e|SPDX/i.test(text.slice(0, 300)));
}

function linesOfComment({ text }: Node): readonly string[] {
  if (text.startsWith("/*")) return withoutMarkers(text.replace(/^\/\*[*!]</, "/**"));
  if (text.startsWith("=begin")) return text.split("\n").slice(1, -1);
  return [text.replace(/\r$/, "").replace(/^(?:\/\/[/!]?<?|#+) ?/, "")];
}

/** The row after a node, which a comment may end with. */
function rowAfter(node: Node): number {
  return node.endPosition.column === 0 ? node.endPosition.row : node.endPosition.row + 1;
}
