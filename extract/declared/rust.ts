import type { Node } from "@vscode/tree-sitter-wasm";
import type { Document } from "../blocks.ts";
import {
  fileTitle,
  linesFrom,
  maxDeclared,
  maxWhole,
  toDocument,
  type CommentPart,
  type Declaration,
} from "./document.ts";
import { childrenOf, headOf, loadGrammar } from "./grammar.ts";
import { keysByWord } from "../language.ts";

const parse = await loadGrammar("rust");

/** Kinds of Rust items by node type. */
const kinds: ReadonlyMap<string, string> = new Map([
  ...["struct", "enum", "union", "trait", "type", "static"].map((kind) => [`${kind}_item`, kind] as const),
  ...keysByWord({
    function: "function_item function_signature_item",
    constant: "const_item",
    macro: "macro_definition",
  }),
]);
/** Items shown with their bodies. */
const shownWhole = new Set(["struct_item", "enum_item", "union_item", "type_item", "const_item", "static_item"]);

/** Reads a Rust file: its public items with their doc comments. */
export function readRust(source: string, { path = "" }: { readonly path?: string } = {}): Document {
  return parse(withoutWrappers(source), (root) => {
    const declared: Declaration[] = [];
    collect(root, { source, prefix: "", isOpen: false }, declared);
    const title =
      fileTitle(path, /(?:\/(?:mod|lib))?\.rs$/)
        .replace(/(?<=^|\/)src(?:\/|$)/, "")
        .replace(/\/$/, "")
        .replaceAll("/", "::") || "crate";
    const inner = childrenOf(root).filter(
      ({ type, text }) => type.endsWith("comment") && /^(?:\/\/!|\/\*!)/.test(text),
    );
    return toDocument({ title, language: "rust", comment: commentOf(inner), declared });
  });
}

/** Maximum nesting of macros around items. */
const maxWrappers = 3;
const offersItems =
  /\bpub\s{1,20}(?:(?:async|unsafe|const|extern)\s{1,20}){0,3}(?:fn|struct|enum|union|trait|type|static|const|mod)\b|\bmacro_rules!/;

/**
 * Blanks out macros around items, such as `cfg_rt! { pub fn … }`, as the grammar does not parse the content of macros. Offsets stay the
 * same.
 */
function withoutWrappers(source: string, depth = 0): string {
  if (depth === maxWrappers || !/^[ \t]{0,40}[\w:]{1,60}! ?\{/m.test(source)) return source;
  const blanks = parse(source, (root) =>
    root.descendantsOfType("macro_invocation").flatMap((node) => {
      const body = node?.namedChildren.find((child) => child?.type === "token_tree");
      const isItem = /^(?:source_file|declaration_list)$/.test(node?.parent?.type ?? "");
      if (!node || !body || !isItem || !body.text.startsWith("{") || !offersItems.test(body.text)) return [];
      return [[node.startIndex, body.startIndex + 1] as const, [body.endIndex - 1, body.endIndex] as const];
    }),
  );
  if (blanks.length === 0) return source;
  let [unwrapped, at] = ["", 0];
  for (const [from, until] of blanks) {
    unwrapped += source.slice(at, from) + source.slice(from, until).replace(/[^\n]/g, " ");
    at = until;
  }
  return withoutWrappers(unwrapped + source.slice(at), depth + 1);
}

interface Scope {
  readonly source: string;
  readonly prefix: string;
  /** Its items are public without `pub`, such as those of a trait. */
  readonly isOpen: boolean;
}

function collect(block: Node, scope: Scope, declared: Declaration[]): void {
  const { source, prefix, isOpen } = scope;
  let comments: Node[] = [];
  let isHidden = false;
  for (const item of childrenOf(block)) {
    if (declared.length >= maxDeclared) return;
    if (item.type.endsWith("comment")) {
      if (/^(?:\/\/\/(?!\/)|\/\*\*(?!\*))/.test(item.text)) comments.push(item);
      continue;
    }
    if (item.type === "attribute_item") {
      if (/doc\s*\(\s*hidden/.test(item.text) || /cfg\s*\(\s*test/.test(item.text)) isHidden = true;
      continue;
    }
    const [doc, isSkipped] = [comments, isHidden];
    [comments, isHidden] = [[], false];
    if (isSkipped) continue;
    const body = item.childForFieldName("body");
    if (item.type === "impl_item") {
      // Members of a trait are documented at the trait.
      const type = item.childForFieldName("type")?.text.split("<", 1)[0];
      if (body !== null && type !== undefined && item.childForFieldName("trait") === null)
        collect(body, { source, prefix: `${prefix}${type}::`, isOpen: false }, declared);
      continue;
    }
    const name = item.childForFieldName("name")?.text;
    const isPublic =
      isOpen ||
      item.type === "macro_definition" ||
      childrenOf(item).some(({ type, text }) => type === "visibility_modifier" && text === "pub");
    if (name === undefined || !isPublic) continue;
    if (item.type === "mod_item") {
      if (body !== null) collect(body, { source, prefix: `${prefix}${name}::`, isOpen: false }, declared);
      continue;
    }
    const kind = kinds.get(item.type);
    if (kind === undefined || (doc.length === 0 && (isOpen || kind === "constant" || kind === "macro"))) continue;
    const isWhole = shownWhole.has(item.type) && item.endIndex - item.startIndex <= maxWhole;
    const signature =
      item.type === "macro_definition" ? `macro_rules! ${name}` : headOf(source, item, isWhole ? null : body);
    const lines = linesFrom(item.startPosition.row + 1, signature);
    declared.push({ name: `${prefix}${name}`, kind, signature, lines, comment: commentOf(doc) });
    if (item.type === "trait_item" && body !== null)
      collect(body, { source, prefix: `${prefix}${name}::`, isOpen: true }, declared);
  }
}

/** Doc comments as Markdown; code without a language is Rust, and lines hidden by rustdoc are left out. */
function commentOf(comments: readonly Node[]): readonly CommentPart[] {
  const [first] = comments;
  if (first === undefined) return [];
  const lines = comments.flatMap(({ text }) =>
    text.startsWith("/*")
      ? text
          .replace(/^\/\*[*!]/, "")
          .replace(/\*\/$/, "")
          .split("\n")
          .map((line) => line.replace(/^[ \t]*\* ?/, ""))
      : [text.replace(/\r?\n$/, "").replace(/^\/\/[/!] ?/, "")],
  );
  let isCode = false;
  const shown = lines.map((line) => {
    const [, indent = "", fence, tags = ""] = /^([ \t]{0,16})(`{3,10}|~{3,10})(.{0,100})$/.exec(line) ?? [];
    if (fence === undefined) return isCode && /^\s*# |^\s*#$/.test(line) ? null : line;
    isCode = !isCode;
    return isCode ? `${indent}${fence}${languageOf(tags)}` : line;
  });
  return [
    { type: "markdown", text: shown.filter((line) => line !== null).join("\n"), line: first.startPosition.row + 1 },
  ];
}

/** The language of a code block of rustdoc. */
function languageOf(tags: string): string {
  const [tag = ""] = tags.trim().split(/[\s,]+/);
  return tag === "" || /^(?:rust|no_run|ignore.*|should_panic|compile_fail|edition\d+|standalone\w*|E\d+)$/.test(tag)
    ? "rust"
    : tag;
}
