import { CORE_SCHEMA, load } from "js-yaml";
import { decodePage } from "../decode.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import { mavenAttributes } from "./maven.ts";
import { antoraPlace, at, treeRoot } from "./resources.ts";

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

/** The attribute with the name of a page's Antora component. */
export const componentName = "page-component-name";

const playbooks = ["antora-playbook.yml", "antora-playbook.yaml", "site.yml", "playbook.yml"];

/** Candidate paths of the files with attributes for a page: those of its Antora component and of the site, or that of its Maven build. */
export function attributePlaces(path: string): readonly (readonly string[])[] {
  const antora = antoraPlace(path);
  const start = antora === undefined ? path.slice(0, Math.max(0, path.lastIndexOf("/"))) : antora.root;
  const folders = [start];
  for (let folder = start; folder !== "" && folders.length < maxFolders; folders.push(folder))
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
  if (antora === undefined) return [folders.map((folder) => at(folder, "pom.xml"))];
  return [[at(antora.root, "antora.yml")], folders.flatMap((folder) => playbooks.map((name) => at(folder, name)))];
}

/** True for a file that may set the attributes of others. */
export function setsAttributes(path: string): boolean {
  return [...playbooks, "antora.yml", "pom.xml"].includes(path.slice(path.lastIndexOf("/") + 1));
}

/** The attributes that a page begins with; `notes` gets a sentence for settings that cannot be parsed. */
export function initialAttributes(path: string, files: IncludableFiles, notes: string[] = []): Attributes {
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
  if (antora === undefined) {
    for (const pom of attributePlaces(path).flat().slice(0, maxFolders)) {
      const xml = textOf(files.get(pom));
      if (xml === undefined) continue;
      for (const [key, value] of mavenAttributes(pom, xml)) {
        if (locked.has(key)) continue;
        values.set(key, value.slice(0, maxValue));
        locked.add(key);
      }
      break;
    }
    return { values, locked };
  }
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
  const [component, playbook] = attributePlaces(path).map((places) => readYaml(places, files, notes));
  for (const [key, name2] of [
    ["name", componentName],
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

const entry = /^:(!?)(\w[^:\s!]{0,100})(!?):(?:[ \t](.*))?$/;

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

function readYaml(
  places: readonly string[],
  files: IncludableFiles,
  notes: string[],
): Readonly<Record<string, unknown>> | undefined {
  const place = places.find((one) => files.get(one) instanceof Uint8Array);
  const text = place === undefined ? undefined : textOf(files.get(place));
  if (text === undefined) return undefined;
  try {
    const settings = load(text, { schema: CORE_SCHEMA });
    return isRecord(settings) ? settings : undefined;
  } catch {
    notes.push(`The attributes in ${place} are not known, as it is not valid YAML.`);
    return undefined;
  }
}

function textOf(content: Uint8Array | string | undefined): string | undefined {
  if (!(content instanceof Uint8Array)) return undefined;
  const decoded = decodePage(content);
  return "code" in decoded || decoded.text.length > maxLength ? undefined : decoded.text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function scalar(value: unknown): string | undefined {
  if (value === true) return "";
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
