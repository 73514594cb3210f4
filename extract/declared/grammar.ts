import treeSitter from "@vscode/tree-sitter-wasm";
import type { Node } from "@vscode/tree-sitter-wasm";
import type { Lines } from "../blocks.ts";

const { Language, Parser } = treeSitter;

/** Parses a text and reads its tree, which is freed afterwards. @returns what `read` returns */
export type Parse = <Result>(source: string, read: (root: Node) => Result) => Result;

/** The last grammar that is being loaded: grammars share memory, and are loaded one at a time. */
let loading: Promise<unknown> = Parser.init();

/** Loads the grammar of a language. */
export async function loadGrammar(language: "python" | "rust" | "go"): Promise<Parse> {
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
      // The memory of WebAssembly is not collected.
      tree.delete();
    }
  };
}

/** The named nodes below one. */
export function childrenOf(node: Node): readonly Node[] {
  return node.namedChildren.filter((child) => child !== null);
}

/** Lines of the file from the beginning of one node to the end of another. */
export function linesOf(first: Node, last: Node = first): Lines {
  return [first.startPosition.row + 1, last.endPosition.row + 1];
}

/** The text from the beginning of a node to its body; all of the node without one. */
export function headOf(source: string, node: Node, body: Node | null, start = node.startIndex): string {
  return source.slice(start, body?.startIndex ?? node.endIndex).trimEnd();
}
