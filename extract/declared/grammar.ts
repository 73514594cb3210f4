import treeSitter, { type Node } from "@vscode/tree-sitter-wasm";
import type { Lines } from "../blocks.ts";

const { Language, Parser } = treeSitter;

/** Parses a text, passes its tree to `read`, and frees the tree. @returns the result of `read` */
export type Parse = <Result>(source: string, read: (root: Node) => Result) => Result;

/** Settled when the last grammar has loaded: grammars share memory, so they are loaded one at a time. */
let loading: Promise<unknown> = Parser.init();

/** The grammars that are read. */
export type Grammar = "python" | "rust" | "go" | "java" | "c-sharp" | "ruby" | "php" | "cpp";

/** Loads the grammar of a language. */
export async function loadGrammar(language: Grammar): Promise<Parse> {
  const url = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`);
  const path = decodeURIComponent(new URL(url).pathname);
  const loaded = loading.then(() => Language.load(path));
  loading = loaded;
  const grammar = await loaded;
  const parser = new Parser();
  parser.setLanguage(grammar);
  return (source, read) => {
    const tree = parser.parse(source);
    if (tree === null) throw new Error("The parser was interrupted.");
    try {
      return read(tree.rootNode);
    } finally {
      // Memory of WebAssembly is not garbage-collected.
      tree.delete();
    }
  };
}

/** The named children of a node. */
export function childrenOf(node: Node): readonly Node[] {
  return node.namedChildren.filter((child) => child !== null);
}

/** The lines of the file from one node to another. */
export function linesOf(first: Node, last: Node = first): Lines {
  return [first.startPosition.row + 1, last.endPosition.row + 1];
}

/** The text of a node up to its body; the whole node without one. */
export function headOf(source: string, node: Node, body: Node | null, start = node.startIndex): string {
  return source.slice(start, body?.startIndex ?? node.endIndex).trimEnd();
}
