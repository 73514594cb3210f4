import { parse as parseToml } from "smol-toml";
import parseExpression from "spdx-expression-parse";
import { foldLicence } from "../../../domain/licences.ts";
import type { Licences } from "../../../domain/licences.ts";
import { tableOf } from "../../../extract/lockfiles/tables.ts";
import { licenceFile, licenceOf } from "./licence-texts.ts";
import { unlessMalformed } from "./manifest-formats.ts";
import { folderOf, nameOf } from "./paths.ts";

/** Maximum length of a licence expression, in characters, and of its groups. */
const maxExpression = 300;
const maxGroups = 20;
/** Maximum number of files that are read for the licence of a library. */
const maxFiles = 20;

/** Names of licence files of bundled works. */
const ofOthers = /third|3rd|bundled|vendor|notice|dependenc|font|logo|icon|header/i;

type Stated = string | readonly string[] | undefined;

/** Readers of the licence in manifests, by file name: an SPDX expression, or a list of alternatives. */
const statements: Readonly<Record<string, (text: string) => unknown>> = {
  "package.json": (text) => tableOf(JSON.parse(text))["license"],
  "composer.json": (text) => tableOf(JSON.parse(text))["license"],
  // Crates used to write OR as a slash.
  "Cargo.toml": (text) => {
    const { license } = tableOf(parseToml(text)["package"]);
    return typeof license === "string" ? license.replaceAll("/", " OR ") : undefined;
  },
  "pyproject.toml": (text) => {
    const { project, tool } = parseToml(text);
    const own = tableOf(project)["license"];
    return typeof own === "object" ? tableOf(own)["text"] : (own ?? tableOf(tableOf(tool)["poetry"])["license"]);
  },
};

const gemLicence = /^[ \t]*\w{1,30}\.license[ \t]*=[ \t]*["']([\w.+-]{1,64})["']/m;

/** Whether a file may state the licence of the library, by its name. */
export function mayStateLicence(path: string): boolean {
  const name = nameOf(path);
  return isLicenceFile(name) || isStating(name);
}

/** The files that may state the licence: of the library's own folder, or of the root if that has none. */
export function chooseLicenceFiles(paths: readonly string[], own: string): readonly string[] {
  const within = (folder: string): string[] =>
    paths.filter((path) => folderOf(path) === folder && mayStateLicence(path)).toSorted();
  const found = own === "" ? [] : within(own);
  return (found.length > 0 ? found : within("")).slice(0, maxFiles);
}

/**
 * The licences of a library, by its manifests and licence files. With a licence file that is not recognised only manifests count;
 * undefined: not known.
 */
export function licencesOf(files: readonly { readonly path: string; readonly text: string }[]): Licences | undefined {
  const stated = files.filter(({ path }) => isStating(nameOf(path))).map(({ path, text }) => statedIn(path, text));
  if (stated.includes("UNLICENSED")) return undefined;
  const groups = stated.flatMap((one) => groupsOf(one) ?? []);
  const texts = files.filter(({ path }) => isLicenceFile(nameOf(path))).map(({ text }) => licenceOf(text));
  if (groups.length === 0 && texts.includes(undefined)) return undefined;
  const known = new Set(groups.flat().map(family));
  for (const id of new Set(texts)) if (id !== undefined && !known.has(family(id))) groups.push([id]);
  const unique = new Map(groups.map((group) => [group.toSorted().join(" "), group]));
  return unique.size === 0 || unique.size > maxGroups ? undefined : [...unique.values()];
}

function isLicenceFile(name: string): boolean {
  return licenceFile.test(name) && !ofOthers.test(name);
}

function isStating(name: string): boolean {
  return Object.hasOwn(statements, name) || name.endsWith(".gemspec");
}

/** The licence in a manifest; undefined where it is malformed. */
function statedIn(path: string, text: string): Stated {
  const name = nameOf(path);
  if (name.endsWith(".gemspec")) return gemLicence.exec(text)?.[1];
  const stated = unlessMalformed(() => statements[name]?.(text));
  if (typeof stated === "string") return stated;
  return Array.isArray(stated) && stated.every((one) => typeof one === "string") ? stated : undefined;
}

/** The groups of an SPDX expression, of each of which one licence has to be complied with; undefined for any other text. */
function groupsOf(stated: Stated): readonly (readonly string[])[] | undefined {
  const text = Array.isArray(stated) ? stated.map((one) => `(${one})`).join(" OR ") : stated;
  if (typeof text !== "string" || text.length > maxExpression || /Ref-/i.test(text)) return undefined;
  return unlessMalformed(() => conjunction(parseExpression(text)));
}

type Expression = ReturnType<typeof parseExpression>;

/** An expression in conjunctive normal form. @throws Error where it has too many groups */
function conjunction(expression: Expression): readonly (readonly string[])[] {
  if (!("conjunction" in expression))
    return [[expression.plus === true ? `${expression.license}+` : expression.license]];
  const [left, right] = [conjunction(expression.left), conjunction(expression.right)];
  const joined =
    expression.conjunction === "and"
      ? [...left, ...right]
      : left.flatMap((one) => right.map((other) => [...new Set([...one, ...other])]));
  if (joined.length > maxGroups) throw new Error("The expression has too many groups.");
  return joined;
}

/** An identifier without `-only` and `-or-later`, which texts of licences do not tell. */
function family(id: string): string {
  return foldLicence(id).replace(/-(?:only|or-later)$/, "");
}
