import type { Document } from "../blocks.ts";
import { fileTitle, linesFrom, maxDeclared, toDocument, type CommentPart, type Declaration } from "./document.ts";
import { readDocstring } from "./docstring.ts";
import { readModule, type Defined, type Excerpt } from "./python-module.ts";

/** Maximum depth of classes in one another whose members are shown. */
const maxClasses = 4;

/** Reads a Python module or stub: its public functions and classes with their docstrings. */
export function readPython(source: string, { path = "" }: { readonly path?: string } = {}): Document {
  const module = readModule(source);
  const declared: Declaration[] = [];
  // Stubs have no docstrings, so items without one are shown too, and only overloads.
  const isStub = path.endsWith(".pyi");
  const collect = (members: readonly Defined[], classes: readonly string[]): void => {
    for (const { name, kind, isOverload, signature, doc, members: inner } of members) {
      if (declared.length >= maxDeclared) return;
      if (kind === "data" || (isOverload && !isStub)) continue;
      const isMember = classes.length > 0;
      const isInit = isMember && name === "__init__";
      const isPublic = isMember || module.all === undefined ? !name.startsWith("_") : module.all.has(name);
      if (!isPublic && !isInit) continue;
      const comment = commentOf(doc);
      // A method without a docstring usually overrides one that has it.
      if (isMember && comment.length === 0 && !isStub && !isInit) continue;
      declared.push({
        name: [...classes, name].join("."),
        kind: kind === "function" && isMember ? "method" : kind,
        signature: signature.text,
        lines: linesFrom(signature.line, signature.text),
        comment,
      });
      if (classes.length < maxClasses) collect(inner, [...classes, name]);
    }
  };
  collect(module.members, []);
  const title = fileTitle(path, /(?:\/__init__)?\.pyi?$/)
    .replace(/^(?:.{1,400}\/)?src\//, "")
    .replaceAll("/", ".");
  return toDocument({ title, language: "python", comment: commentOf(module.doc), declared });
}

function commentOf(doc: Excerpt | undefined): readonly CommentPart[] {
  return doc === undefined ? [] : readDocstring(doc.text, doc.line);
}
