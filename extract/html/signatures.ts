import { isTag, isText, type ChildNode, type Element } from "domhandler";
import { classesOf, elementsIn, lineOf, textOf, walk } from "./tree.ts";
import { keysByWord } from "../language.ts";

/** Domains of Sphinx that describe programs, and their languages. */
const domains: ReadonlyMap<string, string> = new Map([
  ...keysByWord({ python: "py", javascript: "js", ruby: "rb", bash: "sh", matlab: "mat" }),
  ..."python c cpp rst php java go dart cmake rust scala lua".split(" ").map((name) => [name, name] as const),
]);
/** Kinds of objects for which Sphinx before 4 names no domain. */
const kinds = new Set(
  "class function method attribute data exception staticmethod classmethod property module decorator type".split(" "),
);
const blocks = new Set(["div", "dl", "dd", "dt", "p", "li", "ul"]);
/** Elements in which blanks are formatting of the markup. */
const rows = new Set(["table", "tbody", "tr"]);

/** The objects that a list of Sphinx describes; empty for any other list. */
export function apiObjects(list: Element): readonly ReturnType<typeof toObject>[] {
  if (list.name !== "dl") return [];
  const items = elementsIn(list);
  const [first] = items;
  if (first?.name !== "dt" || !isObject(first)) return [];
  const objects: ReturnType<typeof toObject>[] = [];
  let names: Element[] = [];
  let description: Element[] = [];
  const end = (): void => {
    if (names.length > 0) objects.push(toObject(names, description, list));
    [names, description] = [[], []];
  };
  for (const item of items) {
    // What is no term describes it, also where the markup is wrong.
    if (item.name !== "dt") description.push(item);
    else {
      if (description.length > 0) end();
      names.push(item);
    }
  }
  end();
  return objects;
}

function isObject(term: Element): boolean {
  if (classesOf(term).includes("sig")) return true;
  if (term.attribs["id"] === undefined) return false;
  return [...walk(term)].some((element) => classesOf(element).some((one) => one === "descname" || one === "sig-name"));
}

function toObject(names: readonly Element[], description: readonly Element[], list: Element) {
  const [first] = names;
  const classes = [...classesOf(list), ...(first === undefined ? [] : classesOf(first))];
  const domain = classes.find((one) => domains.has(one));
  const isProgram = domain !== undefined || (!classes.includes("std") && classes.some((one) => kinds.has(one)));
  const signature = names.map(signatureText).join("\n");
  const name = first === undefined ? "" : nameOf(first);
  return {
    name: name === "" ? (signature.split("\n", 1)[0] ?? "") : name,
    id: first?.attribs["id"] ?? "",
    /** A line for each name; "" for an object that is only a name, such as a setting. */
    signature: isProgram ? signature : "",
    language: domain === undefined ? "" : (domains.get(domain) ?? ""),
    description,
  };
}

/** `Client.get` of `async Client.get(path)`. */
function nameOf(term: Element): string {
  let text = "";
  for (const element of walk(term, (one) => !isNamePart(one))) if (isNamePart(element)) text += textOf(element, 300);
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}

function isNamePart(element: Element): boolean {
  return classesOf(element).some((one) => /^(?:sig-name|descname|sig-prename|descclassname)$/.test(one));
}

/** A signature as a reader copies it, with the page's line breaks and single blanks. */
export function signatureText(element: Element): string {
  let text = "";
  const read = (node: ChildNode): void => {
    if (isText(node))
      text += node.data
        .replace(/[ \t\r\n\f]+/g, " ")
        .replaceAll("\u00A0", " ")
        .replaceAll("\u200B", "");
    else if (isTag(node)) {
      if (node.name === "br") text += "\n";
      else if (blocks.has(node.name)) {
        text += "\n";
        for (const child of node.children) read(child);
        text += "\n";
      } else for (const child of node.children) if (isTag(child) || !rows.has(node.name)) read(child);
    }
  };
  for (const child of element.children) read(child);
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "")
    .map((line, at) =>
      at === 0
        ? line
            .trim()
            .replace(/ {2,}/g, " ")
            .replace(/(?<=[^\s(,]) \)/g, ")")
        : line,
    )
    .join("\n")
    .trim();
}

const memberId =
  /^(?:method|tymethod|associatedconstant|associatedtype|variant|structfield|macro|fn|reexport)\.([\w!]+)(?:-\d+)?$/;

/** The name of the object whose signature is a heading: `is_some` for rustdoc's id `method.is_some`; "" if unknown. */
export function nameOfSignature(signature: Element): string {
  for (const element of [signature, signature.parent]) {
    if (element === null || element === undefined || !isTag(element)) continue;
    const name = memberId.exec(element.attribs["id"] ?? "")?.[1];
    if (name !== undefined) return name;
  }
  // QDoc has the name in an element of its own.
  const named = [...walk(signature)].find((one) => classesOf(one).includes("name"));
  return named === undefined ? "" : lineOf(named, 200);
}
