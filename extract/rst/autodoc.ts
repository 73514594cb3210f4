import { decodePage } from "../decode.ts";
import { readDocstringLines } from "./docstrings.ts";
import type { Autodoc } from "./index.ts";
import { dedent, foreignLines, type TextLines } from "./lines.ts";
import { modulesOf, pythonPlaces, relativePlaces } from "./places.ts";
import { readModule, type Defined, type Excerpt, type Module } from "../declared/python-module.ts";
import { argumentOf, type Described, type Directive } from "./reader.ts";

/** Maximum size of a source file, of all that are parsed for a page, and of all docstrings that it shows, in characters. */
const maxSource = 500_000;
const maxParsed = 4_000_000;
const maxShown = 1_000_000;
/** What each object counts beside its docstring. */
const perObject = 100;
/** Maximum number of modules that a name is followed through. */
const maxHops = 5;

interface Source {
  readonly path: string;
  readonly module: Module;
}

/** Something that is documented: a definition or, with none, its module. */
interface Found {
  readonly source: Source;
  readonly defined?: Defined;
}

/** A member, with the source that defines it. */
interface Member extends Found {
  readonly defined: Defined;
}

/** Creates what reads the docstrings that the directives of autodoc on one page show. Files are never executed. */
export const createAutodoc: Autodoc = ({ path, files, conf }) => {
  const sources = new Map<string, Source | undefined>();
  let left = maxShown;
  let parsed = 0;

  const open = (places: readonly string[]): Source | undefined => {
    const place = places.find((one) => files.get(one) instanceof Uint8Array);
    if (place === undefined) return undefined;
    if (!sources.has(place)) {
      const bytes = files.get(place);
      const isSmall = bytes instanceof Uint8Array && bytes.length <= maxSource && (parsed += bytes.length) <= maxParsed;
      const decoded = isSmall ? decodePage(bytes) : undefined;
      const isRead = decoded !== undefined && !("code" in decoded);
      sources.set(place, isRead ? { path: place, module: readModule(decoded.text) } : undefined);
    }
    return sources.get(place);
  };
  /** A name of a module, followed through its imports. */
  const lookUp = (source: Source, names: readonly string[], hops = 0): Found | undefined => {
    const [first = "", ...rest] = names;
    if (names.length === 0) return { source };
    let defined = source.module.members.findLast(
      ({ name, kind }) => name === first && (kind !== "data" || rest.length === 0),
    );
    if (defined === undefined) {
      const imported = source.module.imports.get(first);
      if (hops >= maxHops || imported === undefined) return undefined;
      const from = imported.module.startsWith(".")
        ? relativePlaces(source.path, imported.module)
        : pythonPlaces(path, imported.module);
      const next = open(from);
      return next === undefined ? undefined : lookUp(next, [imported.name, ...rest], hops + 1);
    }
    for (const name of rest) {
      defined = defined?.members.findLast((one) => one.name === name);
      if (defined === undefined) return undefined;
    }
    return { source, defined };
  };
  const find = (name: string, module: string): Found | undefined => {
    for (const { module: dotted, rest } of modulesOf(name, module)) {
      const source = open(pythonPlaces(path, dotted));
      const found = source === undefined ? undefined : lookUp(source, rest);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const linesOf = (excerpt: Excerpt | undefined, source: Source, at: number): TextLines => {
    if (excerpt === undefined || left <= 0) return [];
    left -= excerpt.text.length;
    const place = { path: source.path, line: excerpt.line, above: [path] };
    const [first, ...others] = foreignLines(excerpt.text.split(/\r?\n/), at, place);
    return first === undefined ? [] : [{ ...first, text: first.text.trimStart() }, ...dedent(others)];
  };

  /** The members of a module or class, its own ones in place of those that it inherits. */
  const membersOf = ({ source, defined }: Found, isInherited: boolean, seen = new Set<Defined>()): Member[] => {
    // The implementation follows its overloads.
    const own = (defined?.members ?? source.module.members).flatMap((one): readonly Member[] =>
      one.isOverload ? [] : [{ source, defined: one }],
    );
    if (!isInherited || defined === undefined) return own;
    seen.add(defined);
    const names = new Set(own.map((one) => one.defined.name));
    const inherited = defined.bases.flatMap((base) => {
      const found = lookUp(source, base.split("."));
      return found?.defined === undefined || seen.has(found.defined) ? [] : membersOf(found, true, seen);
    });
    return [...own, ...inherited.filter((one) => !names.has(one.defined.name))];
  };

  const describe = (found: Found, name: string, directive: Directive, isNested: boolean): Described => {
    const { source, defined } = found;
    const { options } = directive;
    const at = directive.lines[0]?.at ?? 1;
    const wanted = options.get("members") ?? (conf.hasMembers && !options.has("no-members") ? "" : undefined);
    const listed = wanted === undefined || wanted === "" ? undefined : new Set(wanted.split(/[\s,]+/));
    const excluded = new Set((options.get("exclude-members") ?? "").split(/[\s,]+/));
    const extra = new Set(
      `${options.get("special-members") ?? ""},${options.get("private-members") ?? ""}`.split(/[\s,]+/),
    );
    const isShown = (member: Defined): boolean => {
      if (excluded.has(member.name)) return false;
      if (!isNested && listed !== undefined) return listed.has(member.name);
      if (extra.has(member.name)) return true;
      if (member.name.startsWith("_") || (defined === undefined && source.module.all?.has(member.name) === false))
        return false;
      return member.doc !== undefined || options.has("undoc-members");
    };
    left -= perObject;
    const hasAll = left > 0 && (wanted !== undefined || (isNested && defined?.kind === "class"));
    const all = hasAll ? membersOf(found, !isNested && options.has("inherited-members")) : [];
    const last = new Map(all.filter(({ defined: member }) => isShown(member)).map((one) => [one.defined.name, one]));
    const init = defined?.members.findLast((one) => one.name === "__init__");
    const signatures =
      defined === undefined ? [] : [defined.signature, ...(init === undefined ? [] : [init.signature])];
    const doc = readDocstringLines(linesOf(defined === undefined ? source.module.doc : defined.doc, source, at));
    const initDoc =
      init?.doc === undefined || last.has("__init__") ? [] : readDocstringLines(linesOf(init.doc, source, at));
    return {
      name,
      kind: defined?.kind ?? "module",
      signatures: signatures.map((one) => linesOf(one, source, at)),
      body: initDoc.length === 0 ? doc : [...doc, { text: "", at }, ...initDoc],
      members: [...last.values()].map((one) => describe(one, one.defined.name, directive, true)),
    };
  };

  return (directive, module) => {
    const isSummary = directive.name === "autosummary";
    const names = isSummary
      ? directive.body.map(({ text }) => text.trim().replace(/^[~!]/, "")).filter((name) => /^[\w.]+$/.test(name))
      : [(argumentOf(directive).split("(", 1)[0] ?? "").replaceAll("::", ".").trim()];
    return names.flatMap((name) => {
      if (left <= 0) return [];
      const found = find(name, directive.name === "automodule" ? "" : module);
      if (found === undefined) return [];
      const { options } = directive;
      const own = isSummary
        ? { ...directive, options: new Map(options.has("toctree") ? [["members", ""]] : []) }
        : directive;
      const described = describe(found, name, own, false);
      return [
        isSummary && !options.has("toctree")
          ? { ...described, members: [], body: firstParagraph(described.body), signatures: [] }
          : described,
      ];
    });
  };
};

function firstParagraph(lines: TextLines): TextLines {
  const start = lines.findIndex(({ text }) => text.trim() !== "");
  const end = lines.findIndex(({ text }, at) => at > start && text.trim() === "");
  return start < 0 ? [] : lines.slice(start, end < 0 ? undefined : end);
}
