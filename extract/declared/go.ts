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
import { childrenOf, headOf, linesOf, loadGrammar } from "./grammar.ts";

const parse = await loadGrammar("go");

/** Reads a Go file: its exported declarations with their comments; in a test file, its examples. */
export function readGo(source: string, { path = "" }: { readonly path?: string } = {}): Document {
  return parse(source, (root) => {
    const declared: Declaration[] = [];
    const isTest = path.endsWith("_test.go");
    let comment: readonly CommentPart[] = [];
    let comments: Node[] = [];
    for (const item of childrenOf(root)) {
      if (declared.length >= maxDeclared) break;
      if (item.type === "comment") {
        const last = comments.at(-1);
        if (last !== undefined && item.startPosition.row > last.endPosition.row + 1) comments = [];
        comments.push(item);
        continue;
      }
      // A comment followed by a blank line does not belong to a declaration.
      const last = comments.at(-1);
      const doc = last !== undefined && item.startPosition.row <= last.endPosition.row + 1 ? commentOf(comments) : [];
      comments = [];
      if (item.type === "package_clause") comment = doc;
      else if (isTest) addExample(item, source, doc, declared);
      else add(item, source, doc, declared);
    }
    return toDocument({ title: fileTitle(path, /\.go$/), language: "go", comment, declared });
  });
}

const isExported = (name: string | undefined): name is string => name !== undefined && /^\p{Lu}/u.test(name);

function add(item: Node, source: string, comment: readonly CommentPart[], declared: Declaration[]): void {
  const push = (name: string, kind: string, signature: string): void => {
    declared.push({ name, kind, signature, lines: linesFrom(item.startPosition.row + 1, signature), comment });
  };
  const head = headOf(source, item, item.childForFieldName("body"));
  const name = item.childForFieldName("name")?.text;
  if (item.type === "function_declaration" && isExported(name)) push(name, "function", head);
  else if (item.type === "method_declaration" && isExported(name)) {
    // `(t *T)`, `(T)` and `(l *List[E])`.
    const [receiverType = ""] = (item.childForFieldName("receiver")?.text ?? "").split("[", 1);
    const receiver = receiverType.split(/[\s*()]/).findLast((word) => word !== "");
    if (isExported(receiver)) push(`${receiver}.${name}`, "method", head);
  } else if (/^(?:type|const|var)_declaration$/.test(item.type)) {
    const specs = childrenOf(item).flatMap((child) => (child.type.endsWith("_list") ? childrenOf(child) : [child]));
    const names = specs.flatMap((spec) => spec.childForFieldName("name")?.text ?? []).filter(isExported);
    const kind =
      item.type === "type_declaration" ? "type" : item.type === "const_declaration" ? "constants" : "variables";
    const shown = source.slice(item.startIndex, item.endIndex);
    if (names.length > 0 && shown.length <= maxWhole) push(names.slice(0, 5).join(", "), kind, shown);
    else if (names.length > 0) {
      push(names.slice(0, 5).join(", "), kind, shown.slice(0, Math.max(shown.lastIndexOf("\n", maxWhole), 1)));
      for (const spec of specs) addMembers(spec, source, declared);
    }
  }
}

/** Adds the commented fields of a long struct, or methods of a long interface, one by one, so that each is found. */
function addMembers(spec: Node, source: string, declared: Declaration[]): void {
  const type = spec.childForFieldName("name")?.text;
  const body = spec.childForFieldName("type");
  if (!isExported(type) || body === null) return;
  let comments: Node[] = [];
  let last = -1;
  for (const member of body.type === "struct_type" ? childrenOf(body).flatMap(childrenOf) : childrenOf(body)) {
    if (member.type === "comment") {
      // A comment at the end of a field's line does not belong to the next field.
      if (member.startPosition.row > last) comments.push(member);
      continue;
    }
    const doc = commentOf(comments);
    comments = [];
    last = member.endPosition.row;
    const name = member.childForFieldName("name")?.text;
    if (!isExported(name) || doc.length === 0 || declared.length >= maxDeclared) continue;
    const signature = source.slice(member.startIndex, member.endIndex);
    declared.push({ name: `${type}.${name}`, kind: "member", signature, lines: linesOf(member), comment: doc });
  }
}

/** Adds an example: a function of a test file, shown with its body. */
function addExample(item: Node, source: string, comment: readonly CommentPart[], declared: Declaration[]): void {
  const name = item.childForFieldName("name")?.text ?? "";
  const body = item.childForFieldName("body");
  if (item.type !== "function_declaration" || !/^Example(?:_|\p{Lu}|$)/u.test(name) || body === null) return;
  const subject = name.slice("Example".length).replace(/^_/, "").replaceAll("_", " ");
  declared.push({
    name: subject || "Package",
    kind: "example",
    signature: source.slice(item.startIndex, item.endIndex),
    lines: linesOf(item),
    comment,
  });
}

/** Go comments (https://go.dev/doc/comment) as Markdown. */
function commentOf(comments: readonly Node[]): readonly CommentPart[] {
  const [first] = comments;
  if (first === undefined) return [];
  const lines = comments.flatMap(({ text }) =>
    text.startsWith("/*") ? text.slice(2, -2).split("\n") : [text.replace(/^\/\/ ?/, "").replace(/\r$/, "")],
  );
  if (lines.every((line) => /^(?:go:|nolint|\+build|Copyright|SPDX)/.test(line.trim()) || line.trim() === ""))
    return [];
  if (/copyright|license/i.test(lines[0] ?? "")) return [];
  const shown = lines
    .filter((line) => !/^(?:go:|nolint)/.test(line))
    // A tab marks code; Markdown needs four blanks.
    .map((line) => (line.startsWith("	") ? `    ${line.slice(1)}` : line.replace(/^# /, "### ")));
  return [{ type: "markdown", text: shown.join("\n"), line: first.startPosition.row + 1 }];
}
