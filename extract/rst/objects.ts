import { Text, type Element } from "domhandler";
import { append, element } from "../tree/elements.ts";
import { codeElement } from "./code.ts";
import { placed, plainTextOf } from "./document.ts";
import { isBlank, textOfLines, trimBlank, type TextLines } from "./lines.ts";
import { addTerm, fieldsFrom, type Field } from "./lists.ts";
import type { Described, Directive, Nested, Reader } from "./reader.ts";

/** Languages of domains, where the name is another. */
const languages: Readonly<Record<string, string>> = {
  py: "python",
  js: "javascript",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  mat: "matlab",
};
/** Domains whose objects have no signature in a programming language. */
const plainDomains = new Set(["std", "rst", "http", "setting"]);
const kinds = new Set(
  (
    "function class method attribute data exception property classmethod staticmethod decorator decoratormethod type typealias macro struct union " +
    "enum enum-struct enumerator member var concept alias object coroutinefunction coroutinemethod awaitablemethod awaitablefunction abstractmethod"
  ).split(" "),
);
/** Objects without code: settings, options of a command, variables. */
const plain = new Set(
  "option cmdoption envvar confval setting describe event directive role directive:option opcode pdbcommand term object-type".split(
    " ",
  ),
);

/** Whether a directive describes an object. */
export function isObject(name: string): boolean {
  const [domain, ...rest] = name.split(":");
  return (
    kinds.has(name) ||
    plain.has(name) ||
    (rest.length > 0 && domain !== "" && !/^(?:auto|click|sd|nbsphinx)/.test(domain ?? ""))
  );
}

/** Reads the description of an object: a section with its name, its signatures as code, and its fields as parameters. */
export function readObject(directive: Directive, into: Element, reader: Reader): void {
  const { document } = reader;
  const { name, args, options, body, scope, lines } = directive;
  const at = name.indexOf(":");
  const kind = name.slice(at + 1);
  const domain = at > 0 ? name.slice(0, at) : document.domain;
  const isPlain = (at < 0 && plain.has(name)) || plainDomains.has(domain);
  const signatures = signaturesOf(args);
  const [first] = signatures;
  if (first === undefined) return reader.blocks(body, into, { ...scope, hasTitles: false, depth: scope.depth + 1 });
  const isPython = domain === "py";
  const own = isPlain ? textOfLines(first).replace(/\s+/g, " ") : nameIn(textOfLines(first));
  const isQualified = isPython && scope.prefix !== "" && own.startsWith(scope.prefix);
  const module = options.get("module") ?? document.module;
  const qualified =
    isPython && scope.prefix === "" && module !== "" && !own.startsWith(`${module}.`)
      ? `${module}.${own}`
      : isQualified
        ? own.slice(scope.prefix.length)
        : own;
  const title = isPlain ? own : qualified;
  const made = placed("#section", { title }, lines);
  if (isPlain) document.after(() => void (made.attribs["title"] = plainTextOf(title, document)));
  else append(made, codeElement(signatures.flat(), { language: languages[domain] ?? domain }, document));
  const facts = ["type", "value", "default"].flatMap((key) => {
    const value = options.get(key);
    return value === undefined || (!isPlain && key !== "type" && key !== "value") ? [] : [[key, value] as const];
  });
  for (const [key, value] of facts) {
    const p = placed("p", {}, lines.slice(0, 1));
    if (isPlain) document.later(p, `${key === "type" ? "Type" : "Default"}: ${value}`);
    else
      for (const node of [new Text(`${key === "type" ? "Type" : "Value"}: `), element("code", {}, [new Text(value)])])
        append(p, node);
    append(made, p);
  }
  const inner = {
    hasTitles: false,
    depth: scope.depth + 1,
    prefix: isPython && /^(?:class|exception|enum)$/.test(kind) ? `${own}.` : scope.prefix,
  };
  const outerModule = document.module;
  readBody(
    body,
    made,
    (block, parent) => {
      reader.blocks(block, parent, inner);
      return parent;
    },
    reader,
  );
  document.module = outerModule;
  append(into, made);
}

/** Adds what autodoc found: as `readObject`, with the signature of the source. */
export function addDescribed(
  { name, kind, signatures, body, members }: Described,
  directive: Directive,
  into: Element,
  reader: Reader,
): void {
  const { document } = reader;
  const { scope, lines } = directive;
  const { module } = document;
  const depth = scope.depth + 1;
  const isModule = kind === "module";
  const title =
    isModule || scope.prefix !== "" || module === "" || name.startsWith(`${module}.`) ? name : `${module}.${name}`;
  const made = isModule ? element("div", {}, []) : placed("#section", { title }, lines);
  for (const signature of signatures) append(made, codeElement(signature, { language: "python" }, document));
  const inner = { hasTitles: false, depth, prefix: kind === "class" ? `${name}.` : scope.prefix };
  const nested = (block: TextLines, parent: Element): Element => {
    reader.blocks(block, parent, inner);
    return parent;
  };
  readBody(body, made, nested, reader);
  for (const member of members) addDescribed(member, { ...directive, scope: inner }, made, reader);
  append(into, made);
}

/** The signatures of an object, one or several lines each. */
function signaturesOf(args: TextLines): TextLines[] {
  const signatures: TextLines[] = [];
  let isOpen = false;
  for (const line of args) {
    const text = line.text.trimEnd();
    if (text.trim() === "") continue;
    if (isOpen) signatures.push([...(signatures.pop() ?? []), line]);
    else signatures.push([{ ...line, text: line.text.trim() }]);
    isOpen = text.endsWith("\\");
  }
  return signatures;
}

/** The name in a signature: `Client.get` of `async Client.get(path) -> str`. */
function nameIn(signature: string): string {
  const head = signature.split(/[([{=]|\s->\s|\s:\s|:\s/, 1)[0] ?? "";
  const words = head.trim().split(/\s+/);
  const name = words.at(-1) ?? "";
  return (name === "" || /^[*&]+$/.test(name) ? signature : name).replace(/^[*&]+/, "").slice(0, 200);
}

const parameter =
  /^(?:param|parameter|arg|argument|key|keyword|kwarg|kwparam|tparam|attr|var|ivar|cvar|member|queryparam|query|form|json|jsonparam|reqheader|<json|>json)\s(.+)$/;
const typed = /^(?:type|vartype|paramtype|kwtype)\s(.+)$/;

/** The content of an object, with its fields as parameters. */
function readBody(body: TextLines, into: Element, nested: Nested, { document }: Reader): void {
  let from = 0;
  for (let at = 0; at < body.length; at++) {
    if (!/^:\S/.test(body[at]?.text ?? "") || (at > 0 && !isBlank(body[at - 1]))) continue;
    const { fields, end } = fieldsFrom(body, at);
    if (fields.length === 0) continue;
    nested(body.slice(from, at), into);
    addFields(fields, trimBlank(body.slice(at, end)), into, nested, document);
    at = end - 1;
    from = end;
  }
  nested(body.slice(from), into);
}

function addFields(
  fields: readonly Field[],
  own: TextLines,
  into: Element,
  nested: Nested,
  document: Reader["document"],
): void {
  const types = new Map<string, string>();
  for (const { name, block } of fields) {
    const of = typed.exec(name)?.[1]?.trim();
    if (of !== undefined) types.set(of, textOfLines(block).trim());
  }
  const returned = fields.find(({ name }) => name === "rtype");
  const described = new Set<string>();
  let others: Element | undefined;
  const describe = (name: string, type: string, block: TextLines): void => {
    described.add(name);
    const made = placed("ParamField", { name: name.replaceAll("\\", "") }, trimBlank(block));
    if (type !== "")
      document.after(() => void (made.attribs["type"] = plainTextOf(type, document).replace(/\s+/g, " ")));
    append(into, nested(block, made));
  };
  for (const { name, block } of fields) {
    // `a, b` of NumPy are several parameters with one text.
    const words = parameter
      .exec(name)?.[1]
      ?.trim()
      .split(/(?<!,)\s+/);
    const shown = words?.pop();
    if (shown !== undefined) describe(shown, (words ?? []).join(" ") || (types.get(shown) ?? ""), block);
  }
  for (const [name, type] of types) if (!described.has(name)) describe(name, type, []);
  for (const { name, block } of fields) {
    if (parameter.test(name) || typed.test(name) || /^(?:meta|no-?index|canonical)\b/.test(name)) continue;
    if (name === "rtype" && fields.some((one) => /^returns?$/.test(one.name))) continue;
    if (others === undefined) append(into, (others = placed("dl", {}, own)));
    addTerm(others, labelOf(name, returned), block, nested, document);
  }
}

function labelOf(name: string, returned: Field | undefined): string {
  const [word = "", ...rest] = name.split(/\s+/);
  if (/^returns?$/.test(word)) {
    const type = returned === undefined ? "" : textOfLines(returned.block).trim().replace(/\s+/g, " ");
    return type === "" || type.length > 200 ? "Returns" : `Returns (${type})`;
  }
  if (word === "rtype") return "Return type";
  if (/^(?:raises?|except|exception|throws)$/.test(word))
    return rest.length === 0 ? "Raises" : `Raises ${rest.map((one) => `\`\`${one}\`\``).join(" ")}`;
  if (/^yields?$/.test(word)) return "Yields";
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${rest.length === 0 ? "" : ` ${rest.join(" ")}`}`;
}
