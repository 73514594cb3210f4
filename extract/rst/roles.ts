import { Text, type ChildNode } from "domhandler";
import { element } from "../tree/elements.ts";
import { keysByWord } from "../language.ts";
import type { Conf } from "./conf.ts";
import { link, restored, unescaped } from "./references.ts";

/** A role that a document or its configuration defines. */
export interface CustomRole {
  /** The role that it is based on; "" for plain text. */
  readonly base: string;
  /** Address and text with `%s` for the text of the role. */
  readonly link?: readonly [address: string, text: string];
}

/** What the document says about roles. */
export interface RoleFacts {
  readonly path: string;
  readonly conf: Conf;
  readonly roles: ReadonlyMap<string, CustomRole>;
  /** The role of text in single backticks; "" without. */
  readonly defaultRole: string;
  /** The title of the section at a label. */
  titleAt(label: string): string | undefined;
  /** Another page, by its name in a reference. */
  pageOf(target: string): { readonly title: string | undefined; readonly ending: string } | undefined;
}

/** What a role shows of its text. */
type Kind = "em" | "strong" | "code" | "sub" | "sup" | "plain" | "call";

/** Roles of docutils and Sphinx by what they show. Those of domains are code. */
const kinds: ReadonlyMap<string, Kind> = keysByWord({
  em: "emphasis",
  strong: "strong",
  sub: "subscript sub",
  sup: "superscript sup",
  code:
    "literal code command program file kbd samp envvar option regexp mimetype makevar mailheader newsgroup manpage keyword token obj class exc mod attr const data meth confval setting cli_option " +
    "property type macro struct enum enumerator union member var expr texpr cmdoption py c cpp js rst",
  call: "func meth",
  plain:
    "title-reference title t abbr abbreviation acronym dfn guilabel menuselection ref numref term doc download eq index cite citation " +
    "del ins pep-reference span raw hoverxref sup-ref bdg badge",
} satisfies Record<Kind, string>);

/** Domains whose roles name objects of programs. */
const domains =
  /^(?:py|c|cpp|js|rst|php|rb|ruby|go|java|rust|rs|std|jl|lua|mat|cmake|http|dn|dotnet|ts|bash|sh|lisp|cl|django|sphinx):/;

/** Reads a role. `inner` is its text, in which a NUL precedes each escaped character. */
export function readRole(written: string, inner: string, references: RoleFacts): readonly ChildNode[] {
  const name = written.toLowerCase();
  const custom = references.roles.get(name);
  if (custom !== undefined) {
    const { title, target } = titled(inner);
    if (custom.link !== undefined) {
      const [address, text] = custom.link;
      return link(
        address.replace("%s", () => target),
        title ?? (text === "" ? address : text).replace("%s", () => target),
      );
    }
    return custom.base === ""
      ? [new Text(unescaped(inner))]
      : custom.base === name
        ? code(restored(inner))
        : readRole(custom.base, inner, references);
  }
  if (name === "") {
    const role = references.defaultRole;
    return role === ""
      ? [element("cite", {}, [new Text(unescaped(inner))])]
      : readRole(role, inner, { ...references, defaultRole: "" });
  }
  const short = name.replace(domains, "");
  if (name === "math") return [element("#math", {}, [new Text(`$${restored(inner).trim()}$`)])];
  if (name === "code" || name === "literal") return code(restored(inner));
  if (name === "samp" || name === "file") return code(unescaped(inner).replace(/\{([^{}]*)\}/g, "$1"));
  if (name === "pep" || name === "pep-reference")
    return numbered("PEP", inner, (number) => `https://peps.python.org/pep-${number.padStart(4, "0")}/`);
  if (name === "rfc" || name === "rfc-reference")
    return numbered("RFC", inner, (number) => `https://datatracker.ietf.org/doc/html/rfc${number}.html`);
  if (short === "doc") return documentLink(inner, references);
  const { title, target } = titled(inner);
  // Pages that Sphinx makes.
  if (short === "ref" && /^(?:gen|py-mod|mod)index$|^search$/.test(target)) return [];
  if (short === "ref" || short === "numref") return [new Text(title ?? references.titleAt(target) ?? target)];
  if (short === "index") return [new Text(title ?? target.replace(/^(?:single|pair|triple|see|seealso)\s*:\s*/, ""))];
  if (short === "download") return link(/^\w+:|^\//.test(target) ? "" : target, title ?? target);
  if (short === "menuselection")
    return [
      new Text(
        unescaped(inner)
          .replaceAll("-->", "‣")
          .replace(/&(?=\S)/g, ""),
      ),
    ];
  if (short === "guilabel") return [new Text(unescaped(inner).replace(/&(?=\S)/g, ""))];
  if (short === "abbr" || short === "kbd" || short === "term" || short === "dfn") {
    const text = short === "term" ? (title ?? target) : unescaped(inner);
    return short === "kbd" ? code(text) : [new Text(text)];
  }
  if (short === "raw") return [];
  const last = short.slice(short.lastIndexOf(":") + 1);
  const kind = kinds.get(short) ?? kinds.get(last);
  if (kind === undefined && !domains.test(name)) {
    const text = title ?? target;
    return /\s/.test(text) || !/[\w/]/.test(text) ? [new Text(text)] : code(shortened(text));
  }
  if (kind === "em" || kind === "strong" || kind === "sub" || kind === "sup")
    return [element(kind, {}, [new Text(unescaped(inner))])];
  if (kind === "plain") return [new Text(title ?? target)];
  if (title !== undefined) return code(title);
  const isCall = (last === "func" || last === "meth") && !target.endsWith(")");
  return code(`${shortened(target)}${isCall ? "()" : ""}`);
}

function code(text: string): readonly ChildNode[] {
  return [element("code", {}, [new Text(text)])];
}

/** The title and target of `title <target>`; the text is the target if it has no title. */
function titled(inner: string): { readonly title?: string; readonly target: string } {
  const open = inner.endsWith(">") ? inner.lastIndexOf("<") : -1;
  const title = open > 0 && inner[open - 1] !== "\0" ? unescaped(inner.slice(0, open)).trim() : "";
  if (title === "") return { target: unescaped(inner).trim() };
  return { title, target: unescaped(inner.slice(open + 1, -1)).trim() };
}

/** `C` of `~a.b.C`; without the signs that suppress a link or search for the name. */
function shortened(target: string): string {
  if (!target.startsWith("~")) return target.replace(/^[!.=]+/, "");
  const name = target.slice(1).replace(/^[.!]+/, "");
  return name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("::") + 1) + 1);
}

function numbered(kind: string, inner: string, address: (number: string) => string): readonly ChildNode[] {
  const { title, target } = titled(inner);
  const [, number, fragment = ""] = /^(\d{1,5})(#.{1,80})?$/.exec(target) ?? [];
  if (number === undefined) return [new Text(title ?? target)];
  return link(`${address(number)}${fragment}`, title ?? `${kind} ${number}`);
}

/** A link to the file of another document. */
function documentLink(inner: string, { path, conf, pageOf }: RoleFacts): readonly ChildNode[] {
  const { title, target } = titled(inner);
  const page = pageOf(target);
  const ending = page?.ending ?? /\.\w+$/.exec(path)?.[0] ?? ".rst";
  const text = title ?? page?.title ?? target.replace(/^(?:\.{0,2}\/)+/, "");
  if (target === "" || /[\s\\:]/.test(target)) return [new Text(text)];
  return link(`${target.startsWith("/") ? fromRoot(path, conf.folder, target.slice(1)) : target}${ending}`, text);
}

/** The relative path of a document that is named from the folder of the configuration. */
function fromRoot(path: string, root: string, target: string): string {
  const below = root === "" ? path : path.slice(root.length + 1);
  return `${"../".repeat(below.split("/").length - 1)}${target}`;
}
