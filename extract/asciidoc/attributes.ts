import { CORE_SCHEMA, load } from "js-yaml";
import { decodePage } from "../decode.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import { antoraPlace } from "./resources.ts";

/** The attributes of a document: their values by name. What `locked` names, the document cannot change. */
export interface Attributes {
  readonly values: Map<string, string>;
  readonly locked: Set<string>;
}

/** Maximum number of parent folders searched for settings, and maximum length of these, in characters. */
const maxFolders = 8;
const maxLength = 300_000;
const maxAttributes = 2000;
/** Maximum length of a value, in characters; the same as Asciidoctor's in safe mode. */
const maxValue = 4096;

const playbooks = ["antora-playbook.yml", "antora-playbook.yaml", "site.yml", "playbook.yml"];

/** Candidate paths of the files with attributes for a page: those of its Antora component, and of the site. */
export function attributePlaces(path: string): readonly (readonly string[])[] {
  const antora = antoraPlace(path);
  const own = antora === undefined ? [] : [[at(antora.root, "antora.yml")]];
  if (antora === undefined) return own;
  const folders = [antora.root];
  for (let folder = antora.root; folder !== "" && folders.length < maxFolders; folders.push(folder))
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
  return [...own, folders.flatMap((folder) => playbooks.map((name) => at(folder, name)))];
}

/** The attributes that a page begins with. */
export function initialAttributes(path: string, files: IncludableFiles): Attributes {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, Math.max(0, path.length - name.length - 1));
  const values = new Map<string, string>(
    Object.entries({
      ...intrinsic,
      docdir: folder === "" ? treeRoot : `${treeRoot}/${folder}`,
      docname: name.replace(/\.\w+$/, ""),
      docfile: `${treeRoot}/${path}`,
      docfilesuffix: /\.\w+$/.exec(name)?.[0] ?? "",
    }),
  );
  const locked = new Set(values.keys());
  const antora = antoraPlace(path);
  if (antora === undefined) return { values, locked };
  for (const [key, value] of Object.entries({
    env: "site",
    "env-site": "",
    "site-gen": "antora",
    "site-gen-antora": "",
    "page-module": antora.module,
    "page-relative-src-path": antora.relative,
    partialsdir: "partial$",
    examplesdir: "example$",
    attachmentsdir: "attachment$",
    idprefix: "",
    idseparator: "-",
  }))
    values.set(key, value);
  const [component, playbook] = attributePlaces(path).map((places) => readYaml(places, files));
  for (const [key, name2] of [
    ["name", "page-component-name"],
    ["version", "page-component-version"],
    ["version", "page-version"],
    ["title", "page-component-title"],
    ["display_version", "page-component-display-version"],
  ] as const) {
    const value = scalar(component?.[key]);
    if (value !== undefined && value !== "") values.set(name2, value.slice(0, maxValue));
  }
  for (const settings of [component, playbook]) {
    const named = settings?.["asciidoc"];
    const given = isRecord(named) ? named["attributes"] : undefined;
    for (const [key, raw] of isRecord(given) ? Object.entries(given).slice(0, maxAttributes) : []) {
      const value = scalar(raw);
      const attribute = key.toLowerCase();
      if (locked.has(attribute) && !(settings === playbook && attribute !== "docdir")) continue;
      if (raw === false || raw === null || value === undefined) values.delete(attribute);
      else values.set(attribute, value.replace(/@$/, "").slice(0, maxValue));
      // A value that ends in @ may be changed by the document.
      if (value?.endsWith("@") !== true && !Object.hasOwn(intrinsic, attribute)) locked.add(attribute);
    }
  }
  return { values, locked };
}

/** The prefix of the root of the tree in `docdir`, which no path has. */
export const treeRoot = "/{tree}";

const intrinsic = {
  asciidoctor: "",
  "asciidoctor-version": "2.0.26",
  backend: "html5",
  "backend-html5": "",
  basebackend: "html",
  "basebackend-html": "",
  doctype: "article",
  "doctype-article": "",
  filetype: "html",
  "filetype-html": "",
  outfilesuffix: ".html",
  "safe-mode-name": "secure",
  "safe-mode-secure": "",
};

/** A text with its references to attributes replaced; unknown ones stay. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  if (!text.includes("{")) return text;
  return text
    .replace(/\\?\{(\w[\w-]{0,100})\}/g, (whole, name: string) =>
      whole.startsWith("\\") ? whole.slice(1) : (values.get(name.toLowerCase()) ?? whole),
    )
    .slice(0, maxValue);
}

const entry = /^:(!?)(\w[^:\s]{0,100})(!?):(?:[ \t]+(.*))?$/;

/** Applies the line of an attribute entry, with the lines that continue it joined; false for any other line. */
export function applyEntry(line: string, { values, locked }: Attributes): boolean {
  const [, before, written, after, value = ""] = (line.length < 5000 && line.startsWith(":") && entry.exec(line)) || [];
  if (written === undefined) return false;
  const name = written.toLowerCase();
  if (locked.has(name)) return true;
  if (before === "!" || after === "!") values.delete(name);
  else if (values.size < maxAttributes) values.set(name, substitute(value.trim(), values));
  return true;
}

function readYaml(places: readonly string[], files: IncludableFiles): Readonly<Record<string, unknown>> | undefined {
  const bytes = places.map((place) => files.get(place)).find((content) => content instanceof Uint8Array);
  if (bytes === undefined) return undefined;
  const decoded = decodePage(bytes);
  if ("code" in decoded || decoded.text.length > maxLength) return undefined;
  try {
    const settings = load(decoded.text, { schema: CORE_SCHEMA });
    return isRecord(settings) ? settings : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function scalar(value: unknown): string | undefined {
  if (value === true) return "";
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function at(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
