import ts from "typescript-parser";
import type { Document } from "../blocks.ts";
import {
  fileTitle,
  maxDeclared,
  maxWhole,
  toDocument,
  withoutOpening,
  type CommentPart,
  type Declaration,
} from "./document.ts";
import type { Refused } from "../markdown/index.ts";
import { readJsDoc, type JsDoc } from "./jsdoc.ts";

const declarations = /\.d\.[cm]?ts$/;

/** Reads a file of TypeScript or JavaScript: its exports with their doc comments; by its ending a file of declarations, or a source. */
export function readTypeScript(source: string, options: { readonly path?: string } = {}): Document | Refused {
  try {
    return readFile(source, options);
  } catch (error) {
    if (error instanceof RangeError)
      return { code: "too_large", reason: "Its code is too deeply nested to be parsed." };
    throw error;
  }
}

function readFile(source: string, { path = "" }: { readonly path?: string }): Document {
  const isSource = path !== "" && !declarations.test(path);
  const isScript = isSource && /\.[cm]?jsx?$/.test(path);
  const name = isSource ? `page${/\.\w{1,5}$/.exec(path)?.[0] ?? ".ts"}` : "page.d.ts";
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const declared: Declaration[] = [];
  const exported = namesIn(file.statements);
  const onlyExported = isSource || isModule(file);
  collect(file.statements, { file, prefix: "", onlyExported, exported, isSource }, declared);
  const isCut = declared.length > maxDeclared;
  return toDocument({
    title: fileTitle(path, /(?:\.d)?\.[cm]?[jt]sx?$/),
    language: isScript ? "javascript" : "typescript",
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
  /** Functions have bodies, which are not shown. */
  readonly isSource: boolean;
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
    const names = scope.isSource ? [...namesOf(statement), ...assignedName(statement, scope)] : namesOf(statement);
    if (names.length === 0 || !names.some((name) => isPublic(statement, scope, name))) continue;
    add(statement, names.join(", "), scope, found);
  }
}

function add(statement: ts.Statement, name: string, scope: Scope, found: Declaration[]): void {
  const { file, prefix, isSource } = scope;
  const doc = commentOf(statement, file);
  if (doc.isInternal) return;
  const signature = signatureOf(statement, scope);
  const lines = linesOf(statement, file);
  const kind = kindOf(statement);
  const whole = { name: `${prefix}${name}`, kind, signature, lines, comment: doc.parts };
  const isOpen =
    (isSource && ts.isClassDeclaration(statement)) ||
    (signature.length > maxWhole && (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement)));
  if (!isOpen) {
    found.push(whole);
    return;
  }
  // A long class is shown as its head and its members, so that each member is found by itself.
  const open = statement.members.pos;
  found.push({
    ...whole,
    signature: withoutOpening(file.text.slice(statement.getStart(file), open)),
    lines: [lines[0], lines[0]],
  });
  for (const member of statement.members) {
    if (found.length > maxDeclared) return;
    if (isHidden(member, isSource)) continue;
    const doc = commentOf(member, file);
    const isNamed = ts.isMethodSignature(member) || ts.isMethodDeclaration(member);
    if (doc.isInternal || (doc.parts.length === 0 && !isNamed)) continue;
    found.push({
      name: `${prefix}${name}.${member.name?.getText(file) ?? (ts.isConstructorDeclaration(member) ? "constructor" : "call")}`,
      kind: "member",
      signature: signatureOf(member, scope),
      lines: linesOf(member, file),
      comment: doc.parts,
    });
  }
}

function isHidden(member: ts.ClassElement | ts.TypeElement, isSource: boolean): boolean {
  const flags = ts.getCombinedModifierFlags(member as ts.Declaration);
  const isPrivate = (flags & ts.ModifierFlags.Private) !== 0;
  const { name } = member;
  if (name === undefined) return isPrivate;
  return isPrivate || ts.isPrivateIdentifier(name) || (isSource && ts.isIdentifier(name) && name.text.startsWith("_"));
}

/** Maximum length of a value that is shown in a source, in characters. */
const maxValue = 300;

/** The text of a declaration; in a source without the bodies of functions and long values. */
function signatureOf(node: ts.Node, { file, isSource }: Scope): string {
  const start = node.getStart(file);
  const whole = file.text.slice(start, node.getEnd());
  if (!isSource) return whole;
  const body = bodyOf(node);
  if (body !== undefined) return withoutOpening(file.text.slice(start, body.getStart(file)));
  const isValue = ts.isVariableStatement(node) || ts.isPropertyDeclaration(node) || ts.isExpressionStatement(node);
  if (!isValue || whole.length <= maxValue) return whole;
  return /^[^=\n]{1,300}(?==)/.exec(whole)?.[0].trimEnd() ?? whole.split("\n", 1)[0] ?? "";
}

/** The body of a function, also of one that is the only value of a statement. */
function bodyOf(node: ts.Node): ts.Node | undefined {
  if (ts.isVariableStatement(node)) {
    const [only, ...others] = node.declarationList.declarations;
    return only?.initializer && others.length === 0 ? bodyOf(only.initializer) : undefined;
  }
  if (ts.isExportAssignment(node)) return bodyOf(node.expression);
  if (ts.isPropertyDeclaration(node)) return node.initializer && bodyOf(node.initializer);
  const assigned = assignmentOf(node);
  if (assigned) return bodyOf(assigned.right);
  return ts.isFunctionLike(node) && "body" in node ? node.body : undefined;
}

function assignmentOf(node: ts.Node): ts.BinaryExpression | undefined {
  const expression = ts.isExpressionStatement(node) ? node.expression : undefined;
  if (expression === undefined || !ts.isBinaryExpression(expression)) return undefined;
  return expression.operatorToken.kind === ts.SyntaxKind.EqualsToken ? expression : undefined;
}

/** The name that a statement such as `exports.run = function () {}` or `Kit.prototype.run = run` exports. */
function assignedName(statement: ts.Statement, { file, exported }: Scope): readonly string[] {
  const assigned = assignmentOf(statement);
  // What a declared name is assigned to is shown where it is declared.
  if (assigned === undefined || ts.isIdentifier(assigned.right)) return [];
  const left = assigned.left.getText(file);
  const [, root = "", own, name = own] =
    /^(module\.exports|exports|[\w$]{1,100})(?:\.(?:prototype\.)?([\w$]{1,100}))?$/.exec(left) ?? [];
  if (root === "" || name?.startsWith("_") === true) return [];
  const isExports = /^(?:module\.)?exports$/.test(root);
  if (isExports && name === undefined)
    return ts.isFunctionLike(assigned.right) || ts.isClassExpression(assigned.right)
      ? [assigned.right.name?.getText(file) ?? "module.exports"]
      : [];
  return name !== undefined && (isExports || exported.has(root)) ? [isExports ? name : `${root}.${name}`] : [];
}

function isPublic(statement: ts.Statement, { onlyExported, exported }: Scope, name: string): boolean {
  return !onlyExported || isExported(statement) || exported.has(name) || ts.isExpressionStatement(statement);
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
    for (const name of assignedToExports(one)) names.add(name);
    if (!ts.isExportDeclaration(one) || one.moduleSpecifier !== undefined || one.exportClause === undefined) continue;
    if (ts.isNamedExports(one.exportClause))
      for (const { name, propertyName } of one.exportClause.elements) names.add((propertyName ?? name).text);
  }
  return names;
}

/** `run` and `Kit` of `module.exports = { run, Kit }`, `exports.run = Kit` and `var Kit = (module.exports = {})`. */
function assignedToExports(statement: ts.Statement): readonly string[] {
  const text = (node: ts.Node): string => node.getText();
  const isExports = (node: ts.Node): boolean =>
    /^(?:module\.)?exports(?:\.[\w$]{1,100})?$/.test(text(node).slice(0, 200));
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer && /^\(?(?:module\.)?exports\s*=(?!=)/.test(text(initializer).slice(0, 200)) ? [text(name)] : [],
    );
  let value: ts.Expression | undefined = assignmentOf(statement);
  let isFound = false;
  while (value && ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    isFound ||= isExports(value.left);
    value = value.right;
  }
  if (!isFound || value === undefined) return [];
  if (ts.isIdentifier(value)) return [value.text];
  if (!ts.isObjectLiteralExpression(value)) return [];
  return value.properties.flatMap((one) => {
    if (ts.isShorthandPropertyAssignment(one)) return [one.name.text];
    return ts.isPropertyAssignment(one) && ts.isIdentifier(one.initializer) ? [one.initializer.text] : [];
  });
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
  if (ts.isFunctionDeclaration(statement) || (ts.isExpressionStatement(statement) && bodyOf(statement)))
    return "function";
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
  return doc === undefined ? { parts: [], isInternal: false } : readRange(doc, file);
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
  return readRange(one, file).parts;
}

function readRange({ pos, end }: ts.TextRange, file: ts.SourceFile): JsDoc {
  return readJsDoc(file.text.slice(pos, end), file.getLineAndCharacterOfPosition(pos).line + 1);
}

/** Relative paths of the declaration files that a file imports or references, such as `./types`. */
export function filesNamedBy(source: string): readonly string[] {
  const { importedFiles, referencedFiles } = ts.preProcessFile(source, true, true);
  const references = referencedFiles.map(({ fileName }) => (fileName.startsWith(".") ? fileName : `./${fileName}`));
  return [...references, ...importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith("."))];
}
