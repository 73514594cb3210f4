import type { Node } from "@vscode/tree-sitter-wasm";
import { childrenOf, headOf, loadGrammar } from "./grammar.ts";

const parse = await loadGrammar("python");

/** Text of a source file, with the number of its first line, from 1. */
export interface Excerpt {
  readonly text: string;
  readonly line: number;
}

/** Something that a module or class defines. */
export interface Defined {
  readonly name: string;
  readonly kind: "class" | "function" | "data";
  /** An overload of a function that is implemented after it; a stub has only these. */
  readonly isOverload: boolean;
  /** Without a body. */
  readonly signature: Excerpt;
  /** Undefined without a docstring. */
  readonly doc: Excerpt | undefined;
  /** The names of the classes that a class extends. */
  readonly bases: readonly string[];
  /** Of a class, in their order. */
  readonly members: readonly Defined[];
}

/** A Python module. */
export interface Module {
  readonly doc: Excerpt | undefined;
  readonly members: readonly Defined[];
  /** The names in `__all__`; undefined without. */
  readonly all: ReadonlySet<string> | undefined;
  /** Names that it imports from other modules, with the module as it is written. */
  readonly imports: ReadonlyMap<string, { readonly module: string; readonly name: string }>;
}

/** Maximum number of definitions in a file, depth of nested ones, and length of a value, in characters. */
const maxDefined = 5000;
const maxDepth = 20;
const maxValue = 300;

/** Statements whose statements run only in some cases, and the parts of these. */
const branches = /^(?:(?:if|try|with)_statement|(?:elif|else|except|except_group|finally)_clause|block)$/;

/** Reads what a Python module defines; of the branches of `if`, `try` and `with` the first function or class of each name. */
export function readModule(source: string): Module {
  return parse(source, (root) => {
    const imports = new Map<string, { module: string; name: string }>();
    let all: ReadonlySet<string> | undefined;
    let count = 0;
    const collect = (block: Node, depth: number): Defined[] => {
      const defined: Defined[] = [];
      const statements = childrenOf(block);
      for (const [index, statement] of statements.entries()) {
        if (count > maxDefined || depth > maxDepth) break;
        const definition =
          statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement;
        if (definition === null) continue;
        const body = definition.childForFieldName("body");
        const name = definition.childForFieldName("name")?.text ?? "";
        if (/^(?:function|class)_definition$/.test(definition.type)) {
          count++;
          const isClass = definition.type === "class_definition";
          defined.push({
            name,
            kind: isClass ? "class" : "function",
            isOverload: childrenOf(statement).some(isOverload),
            signature: {
              text: headOf(source, definition, body, statement.startIndex),
              line: statement.startPosition.row + 1,
            },
            doc: body === null ? undefined : docstringOf(body),
            bases: isClass ? basesOf(definition) : [],
            members: isClass && body !== null ? collect(body, depth + 1) : [],
          });
        } else if (statement.type === "expression_statement") {
          const assignment = statement.namedChild(0);
          const left = assignment?.type === "assignment" ? assignment.childForFieldName("left") : null;
          if (assignment === null || left?.type !== "identifier") continue;
          count++;
          if (left.text === "__all__" && depth === 0) all = namesIn(assignment.childForFieldName("right"));
          const { text } = assignment;
          const doc = stringOf(statements[index + 1]) ?? commentBefore(statements, index);
          const shown = text.length <= maxValue ? text : (text.split(/=\s/, 1)[0]?.trimEnd() ?? left.text);
          defined.push({
            name: left.text,
            kind: "data",
            isOverload: false,
            signature: { text: shown, line: statement.startPosition.row + 1 },
            doc,
            bases: [],
            members: [],
          });
        } else if (statement.type === "import_from_statement") {
          const module = statement.childForFieldName("module_name")?.text ?? "";
          for (const [, own = "", alias = own] of statement.text
            .slice(statement.text.indexOf("import") + 6)
            .matchAll(/(\w+)(?:\s+as\s+(\w+))?/g))
            imports.set(alias, { module, name: own });
        } else if (branches.test(statement.type)) {
          const names = new Set(defined.flatMap((one) => (one.kind === "data" ? [] : one.name)));
          const inside = collect(statement, depth + 1);
          defined.push(...inside.filter((one) => one.kind === "data" || !names.has(one.name)));
        }
      }
      return defined;
    };
    const members = collect(root, 0);
    return { doc: docstringOf(root), members, all, imports };
  });
}

/** `Base` and `module.Base` of `class A(Base, module.Base[T], metaclass=M)`. */
function basesOf(definition: Node): readonly string[] {
  const all = definition.childForFieldName("superclasses");
  return all === null ? [] : childrenOf(all).flatMap(({ text }) => /^[\w.]+(?=$|\[)/.exec(text)?.[0] ?? []);
}

/** The docstring of a module, class or function. */
function docstringOf(block: Node): Excerpt | undefined {
  return stringOf(childrenOf(block).find(({ type }) => type !== "comment"));
}

/** The text of a statement that is only a string. */
function stringOf(statement: Node | undefined): Excerpt | undefined {
  const text = statement?.type === "expression_statement" ? statement.namedChild(0) : null;
  if (text?.type !== "string") return undefined;
  const [, quotes = ""] = /^[A-Za-z]{0,2}("""|'''|"|')/.exec(text.text) ?? [];
  const start = text.text.indexOf(quotes) + quotes.length;
  return { text: text.text.slice(start, -quotes.length), line: text.startPosition.row + 1 };
}

/** The comment in the form `#: text` before a statement. */
function commentBefore(statements: readonly Node[], index: number): Excerpt | undefined {
  const lines: string[] = [];
  let line = 0;
  for (let at = index - 1; at >= 0; at--) {
    const comment = statements[at];
    if (comment?.type !== "comment" || !comment.text.startsWith("#:")) break;
    lines.unshift(comment.text.slice(2).replace(/^ /, ""));
    line = comment.startPosition.row + 1;
  }
  return lines.length === 0 ? undefined : { text: lines.join("\n"), line };
}

function isOverload({ type, text }: Node): boolean {
  return type === "decorator" && /^@(?:\w{1,40}\.)?overload$/.test(text.trim());
}

function namesIn(list: Node | null): ReadonlySet<string> | undefined {
  if (list?.type !== "list" && list?.type !== "tuple") return undefined;
  return new Set(childrenOf(list).map(({ text }) => text.replace(/^["']|["']$/g, "")));
}
