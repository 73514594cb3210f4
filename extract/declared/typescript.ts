import ts from "typescript-parser";
import type { Document } from "../blocks.ts";
import { fileTitle, maxDeclared, maxWhole, toDocument, type CommentPart, type Declaration } from "./document.ts";
import { keysByWord } from "../language.ts";

/** Reads a TypeScript declaration file: its exports with their doc comments. */
export function readTypeScript(source: string, { url = "" }: { readonly url?: string } = {}): Document {
  const file = ts.createSourceFile("page.d.ts", source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const declared: Declaration[] = [];
  const exported = namesIn(file.statements);
  collect(file.statements, { file, prefix: "", onlyExported: isModule(file), exported }, declared);
  const isCut = declared.length > maxDeclared;
  return toDocument({
    title: fileTitle(url, /\.d\.[cm]?ts$/),
    language: "typescript",
    comment: fileComment(file),
    declared,
    ...(isCut && { warnings: [`Only the first ${maxDeclared} of its declarations are read.`] }),
  });
}

interface Scope {
  readonly file: ts.SourceFile;
  /** Name of the enclosing module or namespace, with a dot. */
  readonly prefix: string;
  /** Only exports are public. */
  readonly onlyExported: boolean;
  /** Names in export clauses. */
  readonly exported: ReadonlySet<string>;
}

function collect(statements: readonly ts.Statement[], scope: Scope, found: Declaration[]): void {
  for (const statement of statements) {
    if (found.length > maxDeclared) return;
    if (ts.isModuleDeclaration(statement) && statement.body !== undefined && ts.isModuleBlock(statement.body)) {
      const name = statement.name.text;
      const isAmbient = ts.isStringLiteral(statement.name);
      if (!isAmbient && !isPublic(statement, scope, name)) continue;
      const inner = statement.body.statements;
      const onlyExported = inner.some((one) => isExported(one) || ts.isExportDeclaration(one));
      const prefix = name === "global" ? "" : `${scope.prefix}${name}.`;
      collect(inner, { ...scope, prefix, onlyExported: isAmbient && onlyExported, exported: namesIn(inner) }, found);
      continue;
    }
    const names = namesOf(statement);
    if (names.length === 0 || !names.some((name) => isPublic(statement, scope, name))) continue;
    add(statement, names.join(", "), scope, found);
  }
}

function add(statement: ts.Statement, name: string, { file, prefix }: Scope, found: Declaration[]): void {
  const doc = commentOf(statement, file);
  if (doc.isInternal) return;
  const signature = file.text.slice(statement.getStart(file), statement.getEnd());
  const lines = linesOf(statement, file);
  const kind = kindOf(statement);
  const whole = { name: `${prefix}${name}`, kind, signature, lines, comment: doc.parts };
  const isLong =
    signature.length > maxWhole && (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement));
  if (!isLong) {
    found.push(whole);
    return;
  }
  // A long class is shown as its head and its members, so that each member is found by itself.
  const open = statement.members.pos;
  found.push({
    ...whole,
    signature: file.text.slice(statement.getStart(file), open).trimEnd(),
    lines: [lines[0], lines[0]],
  });
  for (const member of statement.members) {
    if (found.length > maxDeclared) return;
    if (isHidden(member)) continue;
    const doc = commentOf(member, file);
    if (doc.isInternal || (doc.parts.length === 0 && !ts.isMethodSignature(member) && !ts.isMethodDeclaration(member)))
      continue;
    found.push({
      name: `${prefix}${name}.${member.name?.getText(file) ?? (ts.isConstructorDeclaration(member) ? "constructor" : "call")}`,
      kind: "member",
      signature: file.text.slice(member.getStart(file), member.getEnd()),
      lines: linesOf(member, file),
      comment: doc.parts,
    });
  }
}

function isHidden(member: ts.ClassElement | ts.TypeElement): boolean {
  const flags = ts.getCombinedModifierFlags(member as ts.Declaration);
  return (flags & ts.ModifierFlags.Private) !== 0 || (member.name !== undefined && ts.isPrivateIdentifier(member.name));
}

function isPublic(statement: ts.Statement, { onlyExported, exported }: Scope, name: string): boolean {
  return !onlyExported || isExported(statement) || exported.has(name);
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.isExportAssignment(statement) ||
    (ts.canHaveModifiers(statement) &&
      (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
  );
}

/** True for a module, whose public names are its exports. */
function isModule({ statements }: ts.SourceFile): boolean {
  return statements.some((one) => isExported(one) || ts.isExportDeclaration(one) || ts.isImportDeclaration(one));
}

/** Names in export clauses such as `export { a, b as c }` and `export = a`. */
function namesIn(statements: readonly ts.Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const one of statements) {
    if (ts.isExportAssignment(one) && ts.isIdentifier(one.expression)) names.add(one.expression.text);
    if (!ts.isExportDeclaration(one) || one.moduleSpecifier !== undefined || one.exportClause === undefined) continue;
    if (ts.isNamedExports(one.exportClause))
      for (const { name, propertyName } of one.exportClause.elements) names.add((propertyName ?? name).text);
  }
  return names;
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  if (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  )
    return [statement.name?.text ?? "default"];
  return [];
}

function kindOf(statement: ts.Statement): string {
  if (ts.isFunctionDeclaration(statement)) return "function";
  if (ts.isClassDeclaration(statement)) return "class";
  if (ts.isInterfaceDeclaration(statement)) return "interface";
  if (ts.isTypeAliasDeclaration(statement)) return "type";
  return ts.isEnumDeclaration(statement) ? "enum" : "constant";
}

function linesOf(node: ts.Node, file: ts.SourceFile): readonly [number, number] {
  const line = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  return [line(node.getStart(file)), line(node.getEnd())];
}

function commentOf(node: ts.Node, file: ts.SourceFile): JsDoc {
  const doc = ts.getJSDocCommentsAndTags(node).findLast((one) => ts.isJSDoc(one) && one.parent === node);
  return doc === undefined ? { parts: [], isInternal: false } : readJsDoc(doc, file);
}

/** The first comment if it is about the whole file: another one follows it, or a tag says so. */
function fileComment(file: ts.SourceFile): readonly CommentPart[] {
  const [first] = file.statements;
  const ranges = ts.getLeadingCommentRanges(file.text, first?.getFullStart() ?? 0) ?? [];
  const docs = ranges.filter(({ pos }) => file.text.startsWith("/**", pos));
  const [one] = docs;
  if (one === undefined) return [];
  const text = file.text.slice(one.pos, one.end);
  const isOfModule = first !== undefined && ts.isModuleDeclaration(first);
  if (docs.length < 2 && !isOfModule && !/@(?:packageDocumentation|module|file)\b/.test(text)) return [];
  if (/licen[cs]e|copyright/i.test(text.slice(0, 300))) return [];
  return readJsDoc(one, file).parts;
}

/** Relative paths of the declaration files that a file imports or references, such as `./types`. */
export function filesNamedBy(source: string): readonly string[] {
  const { importedFiles, referencedFiles } = ts.preProcessFile(source, true, true);
  const references = referencedFiles.map(({ fileName }) => (fileName.startsWith(".") ? fileName : `./${fileName}`));
  return [...references, ...importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith("."))];
}

/** A parsed doc comment. */
interface JsDoc {
  readonly parts: readonly CommentPart[];
  /** The declaration is not for users of the package. */
  readonly isInternal: boolean;
}

/** Tags that mark a declaration as internal, and tags that are not shown. */
const internal = new Set(["internal", "private", "hidden", "ignore"]);
const silent =
  /^(?:public|export|exports|module|packageDocumentation|category|group|inheritDoc|override|readonly|sealed|virtual|function|class|constructor|interface|typedef|callback|memberof|name|namespace|kind|type|async|static|eventProperty|alpha|beta|experimental|author|license|copyright|version)$/;
const named = new Set(["param", "arg", "argument", "template", "typeParam", "typeparam", "property", "prop"]);
const labels: ReadonlyMap<string, string> = keysByWord({
  "Returns:": "returns return",
  "Throws:": "throws exception",
  "**Deprecated:**": "deprecated",
  "Default:": "default defaultValue",
  See: "see",
  Since: "since",
  "": "remarks summary description",
});

/** A line of a comment without comment markers, and its line number in the file. */
interface CommentLine {
  readonly text: string;
  readonly line: number;
}

/** Reads the comment at a range of the file. */
function readJsDoc({ pos, end }: ts.TextRange, file: ts.SourceFile): JsDoc {
  const firstLine = file.getLineAndCharacterOfPosition(pos).line + 1;
  const lines = file.text
    .slice(pos, end)
    .replace(/^\/\*\*?/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((text, at): CommentLine => ({
      text: text.replace(/\r$/, "").replace(/^[ \t]*\*(?: |$)?/, ""),
      line: firstLine + at,
    }));
  const parts: CommentPart[] = [];
  let open: CommentLine[] = [];
  let tag = "";
  let fence = "";
  let isInternal = false;
  const close = (): void => {
    if (!silent.test(tag)) parts.push(...toParts(tag, open));
    open = [];
  };
  for (const line of lines) {
    const [, mark = ""] = /^[ \t]{0,20}(`{3,10}|~{3,10})/.exec(line.text) ?? [];
    if (mark !== "" && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : "";
    const [, name, rest = ""] =
      (fence === "" ? /^[ \t]{0,20}@([A-Za-z]{1,30})(?:[ \t](.*))?$/ : never).exec(line.text) ?? [];
    if (name === undefined) {
      open.push(line);
      continue;
    }
    close();
    tag = name;
    if (internal.has(name)) isInternal = true;
    open.push({ text: rest, line: line.line });
  }
  close();
  return { parts, isInternal };
}

const never = /(?!)/;

function toParts(tag: string, lines: readonly CommentLine[]): CommentPart[] {
  const [first] = lines;
  if (first === undefined || lines.every(({ text }) => text.trim() === ""))
    return tag === "deprecated" && first ? [markdown("**Deprecated.**", first.line)] : [];
  if (tag === "example") return exampleOf(lines);
  if (named.has(tag)) {
    const [, name = "", text = ""] =
      /^(?:\{[^{}]{0,200}\}[ \t]{0,5})?\[?([\w$.]{1,100})[^\s\]]{0,200}\]?[ \t]{0,5}(?:-[ \t]{0,5})?(.*)$/.exec(
        first.text,
      ) ?? [];
    const rest = lines.slice(1).map((line) => line.text);
    if (name === "") return [];
    return [
      markdown(
        [`- \`${name}\`: ${text}`, ...rest.map((line) => (line === "" ? "" : `  ${line}`))].join("\n"),
        first.line,
      ),
    ];
  }
  const label = labels.get(tag) ?? (tag === "" ? "" : `${tag}:`);
  const text = lines.map((line) => line.text).join("\n");
  return [markdown(label === "" ? text : `${label} ${text.replace(/^\{[^{}]{0,200}\}[ \t]{0,5}/, "")}`, first.line)];
}

/** An example is Markdown if it has a fence, otherwise code, possibly after a caption on the first line. */
function exampleOf(lines: readonly CommentLine[]): CommentPart[] {
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  const caption = first.text.replace(/<\/?caption>/g, "").trim();
  const text = lines.map((line) => line.text).join("\n");
  if (/^[ \t]{0,20}(?:`{3}|~{3})/m.test(text)) return [markdown(text, first.line)];
  const isCode = caption !== "" && (rest.every((line) => line.text.trim() === "") || /[;(){}=]/.test(caption));
  const code = isCode ? lines : rest;
  const start = code.findIndex((line) => line.text.trim() !== "");
  const end = code.findLastIndex((line) => line.text.trim() !== "");
  const shown = start < 0 ? [] : code.slice(start, end + 1);
  return [
    ...(caption === "" || isCode ? [] : [markdown(caption, first.line)]),
    ...(shown[0]
      ? [{ type: "code" as const, language: "", code: shown.map((line) => line.text).join("\n"), line: shown[0].line }]
      : []),
  ];
}

function markdown(text: string, line: number): CommentPart {
  return { type: "markdown", text: withoutLinks(text), line };
}

/** Replaces inline tags by their visible text. */
function withoutLinks(text: string): string {
  return text.replace(
    /\{@(?:link|linkcode|linkplain|see)[ \t]{1,5}([^\s{}|]{1,300})(?:[ \t]{0,5}\|[ \t]{0,5}|[ \t]{1,5})?([^{}]{0,300})\}/g,
    (_whole, target: string, label: string) => {
      const shown = label.trim();
      if (/^https?:/.test(target)) return `[${shown || target}](${target})`;
      return shown || `\`${target}\``;
    },
  );
}
