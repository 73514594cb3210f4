import type { Node } from "@vscode/tree-sitter-wasm";
import { keysByWord } from "../language.ts";
import { readDoxygen, readJavadoc, readPhpDoc, readRubyDoc, readXmlDoc, type ReadDoc } from "./doc-comments.ts";
import { childrenOf, type Grammar } from "./grammar.ts";

/** Where an item is. */
interface Place {
  /** Items without a word about it are public. */
  readonly isOpen: boolean;
  /** The node type of the item around; "" at the top. */
  readonly within: string;
}

/** How the public items of a language are found in its syntax tree. */
export interface Language {
  readonly grammar: Grammar;
  /** What each node type of an item is, in one word. */
  readonly kinds: ReadonlyMap<string, string>;
  /** Node types whose items belong to what is around them. */
  readonly inside: ReadonlySet<string>;
  /** Node types of items that have items. */
  readonly holds: ReadonlySet<string>;
  /** Between the name of an item and that of one in it. */
  readonly separator: string;
  /** Its comments that document an item. */
  readonly isDoc: RegExp;
  readonly readDoc: ReadDoc;
  /** Whether items in this node type are public without a word about it. */
  isOpen(within: string): boolean;
  /** Whether a node makes the items after it public; undefined for other nodes. */
  section?(node: Node): boolean | undefined;
  /** The item that a node wraps. */
  unwrap?(node: Node): Node;
  nameOf(node: Node): string | undefined;
  isPublic(node: Node, place: Place): boolean;
  /** Whether an item is shown with its body, if that is short. */
  isWhole(node: Node): boolean;
  /** Whether an item is only shown with a comment. */
  needsDoc?(node: Node): boolean;
  /** Blanks out what the grammar cannot parse, with offsets kept. */
  prepare?(source: string): string;
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The words before an item, such as `public static`. */
function modifiersOf(node: Node): string {
  return childrenOf(node)
    .filter(({ type }) => /^(?:visibility_)?modifiers?$/.test(type))
    .map(({ text }) => text)
    .join(" ");
}

/** The declared name: that of the item, of its declarator, or of the first variable. */
function nameOf(node: Node): string | undefined {
  const own = node.childForFieldName("name") ?? node.childForFieldName("declarator")?.childForFieldName("name");
  if (own) return own.text;
  const list = childrenOf(node).find(({ type }) =>
    /^(?:variable_declaration|const_element|property_element)$/.test(type),
  );
  const first = list?.type === "variable_declaration" ? list.namedChild(1) : list;
  return first?.childForFieldName("name")?.text ?? first?.namedChild(0)?.text ?? first?.text;
}

const overrides = /@Override\b|\boverride\b/;

/** `receive` of `Message receive(int) const`, and `Kit::open` outside of its class. */
function nameOfDeclarator(node: Node): string | undefined {
  let at: Node | null = node.childForFieldName("name") ?? node.childForFieldName("declarator");
  for (let depth = 0; at !== null && depth < 20; depth++) {
    if (/identifier$|^(?:destructor_name|operator_name|operator_cast|template_function)$/.test(at.type))
      return at.text.split("(", 1)[0]?.trim();
    at = at.childForFieldName("declarator") ?? childrenOf(at)[0] ?? null;
  }
  return undefined;
}

/** Words in capitals that stand before a name or a type: macros such as `KIT_API`, and `KIT_PUBLIC(type)`. */
const macros =
  /\b(?:class|struct|union|enum)[ \t]{1,9}([A-Z][A-Z\d_]{2,60})(?=[ \t]{1,9}[A-Za-z_])|^[ \t]{0,20}([A-Z][A-Z\d_]{2,60})(?=[ \t]{1,9}[A-Za-z_][\w:<>, ]{0,100}[ \t*&]{1,9}[A-Za-z_~])|[\w*&>][ \t]{1,9}([A-Z][A-Z\d_]{2,60})(?=[ \t]{1,9}\w{1,100}[ \t]?\()|^[ \t]{0,20}([A-Z][A-Z\d_]{2,60}\()(?=[^()\n]{1,100}\)[ \t]{1,9}\w{1,100}[ \t]?\()/;

/** A line that is only a macro with arguments, such as `KIT_ERROR(Base, Name)`. */
const calledMacro = /^[ \t]{0,40}[A-Z][A-Z\d_]{2,60}\([^()]{0,200}\)[ \t]{0,9};?[ \t\r]{0,9}$/;

function withoutMacros(source: string): string {
  return source
    .split("\n")
    .map((line) => {
      if (line.length > 400 || /^\s*(?:#|\*|\/[/*])/.test(line)) return line;
      if (calledMacro.test(line)) return " ".repeat(line.length);
      const found = macros.exec(line);
      const macro = found?.slice(1).find((word) => word !== undefined);
      if (found === null || macro === undefined) return line;
      const at = found.index + found[0].lastIndexOf(macro);
      const blank = line.slice(0, at) + " ".repeat(macro.length) + line.slice(at + macro.length);
      return macro.endsWith("(") ? blank.replace(")", " ") : blank;
    })
    .join("\n");
}

const hiddenNamespaces = /^(?:detail|details|internal|impl|priv|private|__\w*|_\w*)$/;

const table = {
  java: {
    grammar: "java",
    kinds: keysByWord({
      class: "class_declaration",
      interface: "interface_declaration",
      record: "record_declaration",
      enum: "enum_declaration",
      annotation: "annotation_type_declaration",
      method: "method_declaration annotation_type_element_declaration",
      constructor: "constructor_declaration compact_constructor_declaration",
      field: "field_declaration constant_declaration",
    }),
    inside: setOf("class_body interface_body enum_body enum_body_declarations annotation_type_body"),
    holds: setOf(
      "class_declaration interface_declaration record_declaration enum_declaration annotation_type_declaration",
    ),
    separator: ".",
    isDoc: /^\/\*\*/,
    readDoc: readJavadoc,
    isOpen: (within) => /^(?:interface|annotation)/.test(within),
    nameOf,
    isPublic: (node, { isOpen }) => {
      const modifiers = modifiersOf(node);
      return /\b(?:public|protected)\b/.test(modifiers) || (isOpen && !/\bprivate\b/.test(modifiers));
    },
    isWhole: (node) =>
      /^(?:field|constant)_/.test(node.type) ||
      (node.type === "enum_declaration" && node.descendantsOfType("method_declaration").length === 0),
    needsDoc: (node) => overrides.test(modifiersOf(node)),
  },
  csharp: {
    grammar: "c-sharp",
    kinds: keysByWord({
      class: "class_declaration",
      struct: "struct_declaration",
      interface: "interface_declaration",
      record: "record_declaration",
      enum: "enum_declaration",
      delegate: "delegate_declaration",
      method: "method_declaration",
      constructor: "constructor_declaration",
      operator: "operator_declaration conversion_operator_declaration",
      property: "property_declaration indexer_declaration",
      event: "event_field_declaration event_declaration",
      field: "field_declaration",
    }),
    inside: setOf("namespace_declaration file_scoped_namespace_declaration declaration_list preproc_if preproc_region"),
    holds: setOf("class_declaration struct_declaration interface_declaration record_declaration"),
    separator: ".",
    isDoc: /^(?:\/\/\/|\/\*\*)/,
    readDoc: readXmlDoc,
    isOpen: (within) => within === "interface_declaration",
    nameOf,
    isPublic: (node, { isOpen }) => {
      const modifiers = modifiersOf(node);
      return (
        (/\b(?:public|protected)\b/.test(modifiers) && !/\bprivate\b/.test(modifiers)) ||
        (isOpen && !/\b(?:private|internal)\b/.test(modifiers))
      );
    },
    isWhole: ({ type }) => /^(?:enum|delegate|event_field|field|property)_/.test(type),
    needsDoc: (node) => overrides.test(modifiersOf(node)),
  },
  ruby: {
    grammar: "ruby",
    kinds: keysByWord({
      class: "class",
      module: "module",
      method: "method singleton_method",
      constant: "assignment",
      attribute: "call",
    }),
    inside: setOf("body_statement singleton_class"),
    holds: setOf("class module"),
    separator: "::",
    isDoc: /^(?:#|=begin)/,
    readDoc: readRubyDoc,
    isOpen: () => true,
    section: ({ type, text }) =>
      type === "identifier" && /^(?:private|protected|public|module_function)$/.test(text)
        ? text === "public" || text === "module_function"
        : undefined,
    nameOf: (node) => {
      if (node.type === "assignment") {
        const left = node.childForFieldName("left");
        return left?.type === "constant" ? left.text : undefined;
      }
      if (node.type !== "call") return nameOf(node);
      const [, names] = /^attr_(?:reader|accessor|writer)[ (]{1,9}(:[\w?!:, ]{1,200})/.exec(node.text) ?? [];
      return names?.replaceAll(":", "").trim();
    },
    isPublic: (node, { isOpen }) =>
      (isOpen || !/^(?:method|call)$/.test(node.type)) && nameOf(node)?.startsWith("_") !== true,
    isWhole: () => false,
    needsDoc: ({ type }) => /^(?:module|assignment|call)$/.test(type),
  },
  php: {
    grammar: "php",
    kinds: keysByWord({
      class: "class_declaration",
      interface: "interface_declaration",
      trait: "trait_declaration",
      enum: "enum_declaration",
      function: "function_definition",
      method: "method_declaration",
      constant: "const_declaration",
      property: "property_declaration",
    }),
    inside: setOf("namespace_definition declaration_list compound_statement enum_declaration_list if_statement"),
    holds: setOf("class_declaration interface_declaration trait_declaration enum_declaration"),
    separator: "::",
    isDoc: /^\/\*\*/,
    readDoc: readPhpDoc,
    isOpen: () => true,
    nameOf,
    isPublic: (node) =>
      !/\b(?:private|protected)\b/.test(modifiersOf(node)) && !/^_(?!_(?:construct|invoke)$)/.test(nameOf(node) ?? ""),
    isWhole: (node) => node.type === "enum_declaration" && node.descendantsOfType("method_declaration").length === 0,
  },
  cpp: {
    grammar: "cpp",
    kinds: keysByWord({
      namespace: "namespace_definition",
      class: "class_specifier",
      struct: "struct_specifier",
      union: "union_specifier",
      enum: "enum_specifier",
      function: "function_definition declaration field_declaration",
      type: "type_definition alias_declaration concept_definition",
      macro: "preproc_def preproc_function_def",
    }),
    inside: setOf(
      "declaration_list field_declaration_list linkage_specification preproc_ifdef preproc_if preproc_else preproc_elif",
    ),
    holds: setOf("namespace_definition class_specifier struct_specifier union_specifier"),
    separator: "::",
    isDoc: /^\/[/*]/,
    readDoc: readDoxygen,
    isOpen: (within) => within !== "class_specifier",
    section: ({ type, text }) => (type === "access_specifier" ? text === "public" : undefined),
    unwrap: (node) =>
      node.type === "template_declaration"
        ? (childrenOf(node).findLast(({ type }) => !/comment|requires/.test(type)) ?? node)
        : node,
    nameOf: nameOfDeclarator,
    isPublic: (node, { isOpen, within }) => {
      const name = nameOfDeclarator(node) ?? "";
      if (node.type === "namespace_definition") return !hiddenNamespaces.test(name);
      // A name with a scope is the definition of what is declared elsewhere; a declaration without a body is no type.
      if (!isOpen || /^(?:_|~)/.test(name) || (name.includes("::") && !name.startsWith("operator"))) return false;
      if (node.type.endsWith("_specifier")) return node.childForFieldName("body") !== null;
      return (
        within !== "" ||
        node.type !== "function_definition" ||
        !/^static\b(?!.{0,40}\binline\b)/.test(node.text.slice(0, 60))
      );
    },
    isWhole: (node) =>
      /^(?:enum_specifier|type_definition|alias_declaration|preproc_)/.test(node.type) ||
      (/^(?:struct|union)_/.test(node.type) && node.descendantsOfType("function_declarator").length === 0),
    needsDoc: ({ type, text }) =>
      /^(?:namespace_|preproc_)/.test(type) || (/^(?:field_)?declaration$/.test(type) && !text.includes("(")),
    prepare: withoutMacros,
  },
} satisfies Record<string, Language>;

/** Languages that are read by their grammars. */
export type LanguageName = keyof typeof table;

/** The languages by name. */
export const languages: Readonly<Record<LanguageName, Language>> = table;
