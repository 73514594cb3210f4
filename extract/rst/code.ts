import { append, CodeElement } from "../tree/elements.ts";
import { titleOfCode } from "../html/frames.ts";
import { languageOfFile } from "../language.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import { codeLanguage } from "./conf.ts";
import { plainTextOf, type RstDocument } from "./document.ts";
import { cut, dedent, stretchesOf, textOfLines, trimBlank, type TextLines } from "./lines.ts";
import { argumentOf, type ReadDirective } from "./reader.ts";

/** A block of code as its lines have it. `title`: its caption. `marks`: options that mark lines, as in an info string. */
export function codeElement(
  content: TextLines,
  { language, title = "", marks = "" }: { readonly language: string; readonly title?: string; readonly marks?: string },
  { newline }: Pick<RstDocument, "newline">,
): CodeElement {
  const lines = trimBlank(content);
  const code = lines.map(({ text }) => text).join(newline);
  const sources = stretchesOf(lines);
  const sentences = marksOf(marks, code);
  const names = titleOfCode(title);
  const built = new CodeElement({
    type: "code",
    language,
    code,
    ...names,
    ...(sentences.length > 0 && { marks: sentences }),
    ...(sources !== undefined && { sources }),
    lines: [lines[0]?.at ?? 1, lines.at(-1)?.at ?? 1],
  });
  built.attribs["#caption"] = names.label ?? "";
  return built;
}

/** `code-block` and the like. */
export const readCode: ReadDirective = (directive, into, { document }) => {
  const { options, body } = directive;
  const written = argumentOf(directive).split(/\s/, 1)[0] ?? "";
  const language = written === "" ? document.highlight : codeLanguage(written);
  const width = Number(options.get("dedent") ?? 0);
  const lines = options.get("dedent") === "" ? dedent(body) : width > 0 ? body.map((line) => cut(line, width)) : body;
  append(into, codeElement(lines, { language, title: captionOf(options), marks: marksIn(options) }, document));
};

/** Code in a language that the name of the directive has. */
export function codeIn(language: string): ReadDirective {
  return ({ args, body }, into, { document }) => {
    // Some have a name, a group or options as argument.
    const lines = body.length > 0 ? body : args;
    if (lines.length > 0) append(into, codeElement(lines, { language }, document));
  };
}

/** `parsed-literal`: text whose inline markup is read. */
export const readParsedLiteral: ReadDirective = ({ body }, into, { document }) => {
  const made = codeElement(body, { language: "text" }, document);
  append(into, made);
  document.after(() => Object.assign(made.code, { code: plainTextOf(textOfLines(trimBlank(body)), document) }));
};

/** `literalinclude`, and `include` with an option that shows the file as code. */
export const readLiteralInclude: ReadDirective = (directive, into, { document, include }) => {
  const { options } = directive;
  const shown = include(directive);
  if (shown === undefined) return;
  const named = options.get("language") ?? options.get("code") ?? "";
  const width = Number(options.get("dedent") ?? 0);
  const added = (name: string): TextLines => {
    const text = options.get(name);
    return text === undefined ? [] : directive.lines.slice(0, 1).map(({ at }) => ({ text, at }));
  };
  const lines = width > 0 ? shown.lines.map((line) => cut(line, width)) : shown.lines;
  const language = named === "" ? languageOfFile(shown.path) || document.highlight : codeLanguage(named);
  const whole = [...added("prepend"), ...lines, ...added("append")];
  append(into, codeElement(whole, { language, title: captionOf(options), marks: marksIn(options) }, document));
};

function captionOf(options: ReadonlyMap<string, string>): string {
  return (options.get("caption") ?? options.get("title") ?? "").replace(/^:[\w:+-]{1,40}:`|`{1,2}/g, "");
}

function marksIn(options: ReadonlyMap<string, string>): string {
  const lines = options.get("emphasize-lines");
  const start = options.get("lineno-start");
  return [
    ...(lines === undefined ? [] : [`emphasize-lines="${lines.replaceAll('"', "")}"`]),
    ...(start === undefined ? [] : [`linenostart=${start.replace(/\D/g, "")}`]),
  ].join(" ");
}
