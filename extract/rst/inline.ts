import { Text, type ChildNode } from "domhandler";
import { element } from "../tree/elements.ts";
import { link, restored, unescaped, type References } from "./references.ts";

/** Characters that may stand before the start of inline markup, and after its end (docutils, "Inline markup recognition rules"). */
const before = /[\s"'(<[{\-/:\p{Ps}\p{Pi}\p{Pf}\p{Pd}]|(?![\0-\x7f])\p{Po}/u;
const after = /[\s\0"')>\]}\\.,;!?\-/:\p{Pe}\p{Pi}\p{Pf}\p{Pd}]|(?![\0-\x7f])\p{Po}/u;
const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", "(": ")", "[": "]", "{": "}", "<": ">" };

/** Where something may begin: markup, a reference to a footnote, the end of a reference, an address. */
const candidates =
  /:[A-Za-z0-9](?:[\w+.:-]{0,60}[A-Za-z0-9])?:`|``|_`|`|\*\*|\*|\||\[(?:\d{1,9}|#(?:[\p{L}\d][\p{L}\d._:+-]{0,80})?|\*|[\p{L}\d][\p{L}\d._:+-]{0,80})\]_(?!\w)|(?<=[\p{L}\d])__?(?![\p{L}\d_`])|(?:https?|ftp):\/\/[^\s<>"\0]{1,2000}/gu;

/** Maximum depth of substitutions within others. */
const maxDepth = 4;

/** Reads the text of a paragraph. `references` has the definitions of the whole document. Linear in the length of the text. */
export function readInline(text: string, references: References, depth = 0): ChildNode[] {
  const source = text.replaceAll("\0", "").replace(/\\([^]|$)/g, "\0$1");
  const nodes: ChildNode[] = [];
  /** By marker: no end of it follows after that offset. */
  const endless = new Map<string, number>();
  let kept = 0;

  const addText = (end: number): void => {
    if (end > kept) nodes.push(new Text(unescaped(source.slice(kept, end))));
  };
  const add = (start: number, end: number, added: readonly ChildNode[]): void => {
    addText(start);
    for (const node of added) nodes.push(node);
    kept = end;
    candidates.lastIndex = end;
  };
  const findEnd = (marker: string, from: number): number => {
    if ((endless.get(marker) ?? Infinity) <= from) return -1;
    for (let at = source.indexOf(marker, from + 1); at >= 0; at = source.indexOf(marker, at + 1)) {
      if (/\s/.test(source[at - 1] ?? " ") || (marker !== "``" && source[at - 1] === "\0")) continue;
      const end = at + marker.length;
      if (marker === "`") {
        if (suffix(end) !== undefined) return at;
      } else if (isAfter(end)) return at;
      else if (marker === "|" && /^__?(?![\p{L}\d_])/u.test(source.slice(end, end + 3))) return at;
    }
    endless.set(marker, from);
    return -1;
  };
  const isAfter = (end: number): boolean => end >= source.length || after.test(charAt(source, end));
  /** What follows the end of interpreted text: a role, the sign of a reference, or "". */
  const suffix = (end: number): string | undefined => {
    if (isAfter(end) && source[end] !== ":") return "";
    const own = /^(?::[A-Za-z0-9](?:[\w+.:-]{0,60}[A-Za-z0-9])?:|__?)/.exec(source.slice(end, end + 70))?.[0] ?? "";
    return isAfter(end + own.length) ? own : undefined;
  };
  const isStart = (at: number, length: number): boolean => {
    const [previous, next] = [at === 0 ? "" : (source[at - 1] ?? ""), source[at + length] ?? " "];
    if (/\s/.test(next) || (previous !== "" && !before.test(previous))) return false;
    return closing[previous] !== next || next === "";
  };

  candidates.lastIndex = 0;
  for (let match = candidates.exec(source); match !== null; match = candidates.exec(source)) {
    const [found] = match;
    const at = match.index;
    const resume = at + found.length;
    if (/^\w+:\/\//.test(found)) {
      const address = addressIn(found);
      if (at === 0 || before.test(source[at - 1] ?? ""))
        add(at, at + address.length, [element("a", { href: address }, [new Text(address)])]);
    } else if (/^__?$/.test(found)) {
      const name = /(?<![\p{L}\d])[\p{L}\d]+(?:[-._+:][\p{L}\d]+)*$/u.exec(
        source.slice(Math.max(kept, at - 100), at),
      )?.[0];
      const start = at - (name?.length ?? 0);
      if (
        name !== undefined &&
        isAfter(resume) &&
        (start === 0 || before.test(source[start - 1] ?? "") || source[start - 1] === "\0")
      ) {
        const shown = references.reference(name, found === "__");
        if (shown !== undefined) add(start, resume, link(shown, name));
      }
    } else if (found.startsWith("[")) {
      if ((at === 0 || before.test(source[at - 1] ?? "")) && isAfter(resume)) {
        const label = references.note(found.slice(1, -2));
        add(at, resume, label === undefined ? [new Text(found.slice(0, -1))] : [element("#note", { label }, [])]);
      }
    } else if (isStart(at, found.length)) {
      const role = found.length > 2 && found.startsWith(":") ? found.slice(1, -2) : "";
      const marker = role !== "" || found === "_`" ? "`" : found;
      const end = findEnd(marker, resume);
      if (end >= 0) {
        const inner = source.slice(resume, end);
        const close = end + marker.length;
        if (marker === "**" || marker === "*")
          add(at, close, [element(marker === "*" ? "em" : "strong", {}, [new Text(unescaped(inner))])]);
        else if (marker === "``") add(at, close, [element("code", {}, [new Text(restored(inner))])]);
        else if (marker === "|") {
          const rest = /^__?/.exec(source.slice(close, close + 2))?.[0] ?? "";
          const shown = depth < maxDepth ? references.substitution(unescaped(inner), depth + 1) : undefined;
          add(at, close + rest.length, shown ?? [new Text(unescaped(inner))]);
        } else if (found === "_`") add(at, close, [new Text(unescaped(inner))]);
        else {
          const own = suffix(close) ?? "";
          if (role === "" && own.startsWith("_")) add(at, close + own.length, phrase(inner, own === "__", references));
          else add(at, close + own.length, references.role(role || own.slice(1, -1), inner));
        }
      }
    }
    candidates.lastIndex = Math.max(kept, resume);
  }
  addText(source.length);
  return nodes;
}

/** `text <address>`, or the name of a target. */
function phrase(inner: string, isAnonymous: boolean, references: References): readonly ChildNode[] {
  const [, title, target] = /^(?:([^]*)\s)?<([^<>]{1,2000})>$/.exec(inner) ?? [];
  if (target === undefined) {
    const text = unescaped(inner);
    return link(references.reference(text, isAnonymous) ?? "", text);
  }
  const bare = unescaped(target).replace(/\s+/g, "");
  const address = /[^\\]_$/.test(target) ? (references.reference(bare.slice(0, -1), false) ?? "") : bare;
  const text = title === undefined ? bare : unescaped(title.trimEnd());
  if (!isAnonymous && title !== undefined) references.define(text, address);
  return link(address, text);
}

/** An address at the start of a text, without the punctuation that ends the sentence. */
function addressIn(text: string): string {
  let end = text.length;
  while (end > 0 && /[.,;:!?'")\]}*`_\\|]/.test(text[end - 1] ?? "")) {
    const char = text[end - 1];
    if (char === ")" && text.slice(0, end).includes("(")) break;
    if (char === "_") break;
    end--;
  }
  return text.slice(0, end);
}

function charAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 32);
}
