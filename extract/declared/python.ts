import type { Node } from "@vscode/tree-sitter-wasm";
import type { Document } from "../blocks.ts";
import { fileTitle, linesFrom, maxDeclared, toDocument, type CommentPart, type Declaration } from "./document.ts";
import { readDocstring } from "./docstring.ts";
import { childrenOf, headOf, linesOf, loadGrammar } from "./grammar.ts";

const parse = await loadGrammar("python");

/** Reads a Python module or stub: its public functions and classes with their docstrings. */
export function readPython(source: string, { url = "" }: { readonly url?: string } = {}): Document {
  return parse(source, (root) => {
    const declared: Declaration[] = [];
    const all = namesOfAll(root);
    const isPublic = (name: string): boolean => (all === undefined ? !name.startsWith("_") : all.has(name));
    const isStub = url.endsWith(".pyi");
    collect(root, { source, prefix: "", isPublic, isStub }, declared);
    const title = fileTitle(url, /(?:\/__init__)?\.pyi?$/)
      .replace(/^src\//, "")
      .replaceAll("/", ".");
    return toDocument({ title, language: "python", comment: docstringOf(root), declared });
  });
}

interface Scope {
  readonly source: string;
  readonly prefix: string;
  readonly isPublic: (name: string) => boolean;
  /** Stubs have no docstrings, so items without one are shown too. */
  readonly isStub: boolean;
}

function collect(block: Node, scope: Scope, declared: Declaration[]): void {
  const { source, prefix, isPublic, isStub } = scope;
  const seen = new Set<string>();
  for (const statement of statementsOf(block)) {
    if (declared.length >= maxDeclared) return;
    const definition =
      statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement;
    const name = definition?.childForFieldName("name")?.text;
    if (!definition || name === undefined || !/^(?:function|class)_definition$/.test(definition.type)) continue;
    // In a module the implementation, which follows its overloads, has the docstring; a stub has only overloads.
    if (!isStub && childrenOf(statement).some(isOverload)) continue;
    const isInit = prefix !== "" && name === "__init__";
    if (!isPublic(name) && !isInit) continue;
    const body = definition.childForFieldName("body");
    const comment = body === null ? [] : docstringOf(body);
    const isClass = definition.type === "class_definition";
    // A method without a docstring usually overrides one that has it.
    if (prefix !== "" && comment.length === 0 && !isStub && !isInit) continue;
    // The other branch of a condition declares it too. Overloads in a stub are all shown.
    if (statement.parent?.equals(block) === false && seen.has(name)) continue;
    seen.add(name);
    const signature = headOf(source, definition, body, statement.startIndex);
    declared.push({
      name: `${prefix}${name}`,
      kind: isClass ? "class" : prefix === "" ? "function" : "method",
      signature,
      lines: linesFrom(statement.startPosition.row + 1, signature),
      comment,
    });
    if (isClass && body !== null && prefix.split(".").length < 4)
      collect(body, { ...scope, prefix: `${prefix}${name}.`, isPublic: (member) => !member.startsWith("_") }, declared);
  }
}

/** Statements that run with others only if a condition holds, and the parts of these statements. */
const branches = /^(?:(?:if|try|with)_statement|(?:elif|else|except|except_group|finally)_clause|block)$/;

/** Maximum depth of branches in one another. */
const maxBranches = 20;

/** The statements of a block, with those below its conditions, in their order. */
function* statementsOf(block: Node, depth = 0): Generator<Node> {
  for (const statement of childrenOf(block)) {
    if (!branches.test(statement.type)) yield statement;
    else if (depth < maxBranches) yield* statementsOf(statement, depth + 1);
  }
}

function isOverload({ type, text }: Node): boolean {
  return type === "decorator" && /^@(?:\w{1,40}\.)?overload$/.test(text.trim());
}

/** The docstring of a module, class or function. */
function docstringOf(block: Node): readonly CommentPart[] {
  const first = childrenOf(block).find(({ type }) => type !== "comment");
  const text = first?.type === "expression_statement" ? first.namedChild(0) : null;
  if (text?.type !== "string") return [];
  const [, quotes = ""] = /^[A-Za-z]{0,2}("""|'''|"|')/.exec(text.text) ?? [];
  const start = text.text.indexOf(quotes) + quotes.length;
  return readDocstring(text.text.slice(start, -quotes.length), linesOf(text)[0]);
}

/** The names in a module's `__all__`; undefined without. */
function namesOfAll(root: Node): ReadonlySet<string> | undefined {
  for (const statement of childrenOf(root)) {
    const assignment = statement.type === "expression_statement" ? statement.namedChild(0) : null;
    if (assignment?.type !== "assignment" || assignment.childForFieldName("left")?.text !== "__all__") continue;
    const right = assignment.childForFieldName("right");
    if (right?.type !== "list" && right?.type !== "tuple") return undefined;
    return new Set(childrenOf(right).map(({ text }) => text.replace(/^["']|["']$/g, "")));
  }
  return undefined;
}
