import { escaped, parseFile } from "./parse.ts";
import { addressOf, refOf } from "./references.ts";
import { versionOf } from "./version.ts";

/** A reference to another file. */
export interface FileReference {
  /** As it is written, or the beginning of that. */
  readonly ref: string;
  /** JSON pointer to the object that has it, or the beginning of that. */
  readonly pointer: string;
  /** Address of the file that it leads to, without a fragment; null where it leads to none. */
  readonly url: string | null;
}

/** A file whose references are wanted. */
export interface ReferringFile {
  /** What messages call it. */
  readonly name: string;
  /** What its relative references are relative to; for a file without an address its name. */
  readonly address: string;
  readonly bytes: Uint8Array;
  /** True for the submitted file, which has to be a description. */
  readonly isRoot: boolean;
}

/** Maximum number of files that one file refers to which are named. */
const maxReferred = 1000;
/** Most that is told of a reference and of its place, in characters; longer addresses lead to nothing. */
const maxText = 300;
const maxAddress = 2000;

/**
 * The files that one file of a description refers to, each by the first reference to it, in positions where a reference is one: not in
 * examples, defaults, or extensions. A thousand of them at most.
 * @throws Failure source_invalid for a file that cannot be parsed, or is no description
 */
export function findFileReferences({ name, address, bytes, isRoot }: ReferringFile): FileReference[] {
  const root = parseFile(bytes, name);
  if (isRoot) versionOf(root, name);
  const found = new Map<string, FileReference>();
  const seen = new Set<object>();
  const add = (ref: string, pointer: () => string): void => {
    const written = ref.slice(0, maxText);
    const url = ref.length > maxAddress ? null : addressOf(ref, address);
    const key = url ?? ` ${written}`;
    if (url !== address && !found.has(key)) found.set(key, { ref: written, pointer: pointer().slice(0, maxText), url });
  };
  const visit = (value: unknown, pointer: () => string, names: boolean): void => {
    if (typeof value !== "object" || value === null || seen.has(value) || found.size >= maxReferred) return;
    seen.add(value);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, () => `${pointer()}/${index}`, false);
      return;
    }
    const ref = names ? undefined : refOf(value);
    if (ref !== undefined && !ref.startsWith("#")) add(ref, pointer);
    for (const [key, child] of Object.entries(value)) {
      if (typeof child !== "object" || (!names && (data.has(key) || key.startsWith("x-")))) continue;
      if (key === "examples" && Array.isArray(child)) continue;
      visit(child, () => `${pointer()}/${escaped(key.slice(0, maxText))}`, !names && named.has(key));
    }
  };
  visit(root, () => "#", false);
  return [...found.values()];
}

/** Keywords below which there is data, and no description. */
const data = new Set(["example", "default", "enum", "const", "value", "dataValue", "mapping", "scopes"]);
/** Keywords whose keys are names that the description chooses. */
const named = new Set(
  "properties patternProperties schemas definitions $defs dependentSchemas responses parameters headers requestBodies callbacks webhooks pathItems paths links examples securitySchemes securityDefinitions content mediaTypes encoding".split(
    " ",
  ),
);
