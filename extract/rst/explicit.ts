import type { Element } from "domhandler";
import { append } from "../tree/elements.ts";
import { directives, noArgument, readUnknown } from "./directives.ts";
import { placed } from "./document.ts";
import { blockOf, isBlank, textOfLines, trimBlank, type TextLines } from "./lines.ts";
import type { Directive, Reader, Scope } from "./reader.ts";

const directive = /^\.\.\s+([\p{L}\d][\p{L}\d_.+:-]{0,80}?) ?::(?:\s+|$)/u;
const note = /^\.\.\s+\[([^\]\s]{1,80})\](?:\s+|$)/;
const target = /^\.\.\s+_(?!\s|_:)(?:`((?:[^`\\]|\\.){1,300})`|((?:[^:\\\n]|\\.|:(?!\s|$)){1,300})):(?:\s+|$)/;
const anonymousTarget = /^\.\.\s+__:(?:\s+|$)/;
const substitution = /^\.\.\s+\|(?!\s)([^|]{1,200})\|\s+([a-z]{1,40})::(?:\s+|$)/i;
const option = /^:([\w.+-][\w .+-]{0,60}):(?:\s(.*))?$/;

/** Directives that may stand between the name of a section and its title. */
const betweenNameAndTitle = /^(?:index|meta|(?:py:)?(?:current)?module|rst-class|program|highlight|role)$/;

/** Reads what begins with two dots: a directive, a target, a note, a substitution, or a comment. @returns the index after it */
export function readExplicit(lines: TextLines, at: number, into: Element, scope: Scope, reader: Reader): number {
  const { document } = reader;
  const text = lines[at]?.text.trimEnd() ?? "";
  if (text === ".." && isBlank(lines[at + 1])) return at + 1;
  const matched = (pattern: RegExp): RegExpExecArray | null => pattern.exec(text);
  const found = matched(directive);
  if (found !== null) {
    const { block, end } = blockOf(lines, at, found[0].length);
    const whole = {
      ...headOf(block, found[1] ?? ""),
      name: (found[1] ?? "").toLowerCase(),
      lines: trimBlank(lines.slice(at, end)),
      scope,
    };
    if (!betweenNameAndTitle.test(whole.name)) document.nameSection("");
    (directives.get(whole.name) ?? readUnknown)(whole, into, reader);
    return end;
  }
  const named = matched(target);
  if (named !== null) {
    const { block, end } = blockOf(lines, at, named[0].length);
    const name = (named[1] ?? named[2] ?? "").replaceAll("\\", "");
    const address = addressOf(block);
    // Names without an address of their own share that of the next one.
    if (address === "") document.addPending(name);
    else document.define(name, address);
    if (address !== "") for (const other of document.takePending()) document.define(other, address);
    return end;
  }
  const anonymous = matched(anonymousTarget);
  if (anonymous !== null) {
    const { block, end } = blockOf(lines, at, anonymous[0].length);
    document.defineAnonymous(addressOf(block));
    return end;
  }
  const defined = matched(substitution);
  if (defined !== null) {
    const { block, end } = blockOf(lines, at, defined[0].length);
    const { args, options, body } = headOf(block, "replace");
    const kind = (defined[2] ?? "").toLowerCase();
    const words = textOfLines(trimBlank([...args, ...body])).trim();
    document.defineSubstitution(
      (defined[1] ?? "").replace(/\s+/g, " "),
      kind,
      kind === "image" ? (options.get("alt") ?? "") : words,
    );
    return end;
  }
  const noted = matched(note);
  if (noted !== null) {
    const { block, end } = blockOf(lines, at, noted[0].length);
    const label = noted[1] ?? "";
    const isFootnote = /^(?:\d+|#.*|\*)$/.test(label);
    const own = trimBlank(lines.slice(at, end));
    if (isFootnote) {
      const made = placed("#footnote", {}, own);
      reader.blocks(block, made, { ...scope, hasTitles: false, depth: scope.depth + 1 });
      document.addNote(made, label);
      append(into, made);
    } else {
      const list = placed("dl", {}, own);
      append(list, placed("dt", {}, own));
      document.later(list.children[0] as Element, `[${label}]`);
      const description = placed("dd", {}, own);
      reader.blocks(block, description, { ...scope, hasTitles: false, depth: scope.depth + 1 });
      append(list, description);
      append(into, list);
    }
    return end;
  }
  return blockOf(lines, at, 2).end;
}

/** The address of a target, on one or several lines. A NUL precedes the name of another target. */
function addressOf(block: TextLines): string {
  const text = block
    .map((line) => line.text.trim())
    .join("")
    .trim();
  const name = /^`([^`]{1,300})`_$/.exec(text)?.[1] ?? /^([\w][\w .+-]{0,300}?)_$/.exec(text)?.[1];
  if (name !== undefined) return `\0${name}`;
  return text.replace(/\\(.)/g, "$1");
}

/** The argument, options and content of a directive. */
function headOf(whole: TextLines, name: string): Pick<Directive, "args" | "options" | "body"> {
  const options = new Map<string, string>();
  // Options may begin on the line after the marker.
  const block = isBlank(whole[0]) ? whole.slice(1) : whole;
  let at = 0;
  const isContentOnly = noArgument.test(name.toLowerCase());
  while (at < block.length && !isBlank(block[at]) && !option.test(block[at]?.text ?? "")) at++;
  const head = block.slice(0, at);
  let last = "";
  let end = at;
  for (; end < block.length && !isBlank(block[end]); end++) {
    const line = block[end]?.text ?? "";
    const [, key, value = ""] = option.exec(line) ?? [];
    if (key !== undefined) options.set((last = key.toLowerCase()), value.trim());
    else if (last !== "" && /^\s/.test(line)) options.set(last, `${options.get(last) ?? ""} ${line.trim()}`.trim());
    else if (last !== "") break;
  }
  const args = trimBlank(head);
  const body = block.slice(end);
  if (isContentOnly) return { args: [], options, body: trimBlank(args.length === 0 ? body : [...args, ...body]) };
  return { args, options, body: trimBlank(body) };
}
