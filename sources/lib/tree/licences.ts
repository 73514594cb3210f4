import { parse as parseToml } from "smol-toml";
import parseExpression from "spdx-expression-parse";
import { foldLicence, type Licences } from "../../../domain/source.ts";
import { unlessMalformed } from "./manifest-formats.ts";
import { folderOf, nameOf } from "./paths.ts";
import { objectOf } from "../../../extract/json.ts";

/** Maximum length of a licence expression, in characters, and of its groups. */
const maxExpression = 300;
const maxGroups = 20;
/** Maximum number of files that are read for the licence of a library. */
const maxFiles = 20;

/** Names of licence files of bundled works. */
const bundled = /third|3rd|bundled|vendor|notice|dependenc|font|logo|icon|header/i;

type Stated = string | readonly string[] | undefined;

/** Readers of the licence in manifests, by file name: an SPDX expression, or a list of alternatives. */
const statements: Readonly<Record<string, (text: string) => unknown>> = {
  "package.json": (text) => objectOf(JSON.parse(text))["license"],
  "composer.json": (text) => objectOf(JSON.parse(text))["license"],
  // Crates used to write OR as a slash.
  "Cargo.toml": (text) => {
    const { license } = objectOf(parseToml(text)["package"]);
    return typeof license === "string" ? license.replaceAll("/", " OR ") : undefined;
  },
  "pyproject.toml": (text) => {
    const { project, tool } = parseToml(text);
    const { license } = objectOf(project);
    if (typeof license === "object") return objectOf(license)["text"];
    return license ?? objectOf(objectOf(tool)["poetry"])["license"];
  },
};

const gemLicence = /^[ \t]*\w{1,30}\.license[ \t]*=[ \t]*["']([\w.+-]{1,64})["']/m;

/** Whether the name of a file suggests that it states the licence of the library. */
export function mayStateLicence(path: string): boolean {
  const name = nameOf(path);
  return isLicenceFile(name) || isStating(name);
}

/** The files that may state the licence: in the library's own folder, or in the root if that has none. */
export function chooseLicenceFiles(paths: readonly string[], libraryFolder: string): readonly string[] {
  const within = (folder: string): string[] =>
    paths.filter((path) => folderOf(path) === folder && mayStateLicence(path)).toSorted();
  const ownFiles = libraryFolder === "" ? [] : within(libraryFolder);
  return (ownFiles.length > 0 ? ownFiles : within("")).slice(0, maxFiles);
}

/**
 * The licences of a library, from its manifests and licence files. If a licence file is not recognised, only manifests count; undefined
 * if unknown.
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
  return licenceFile.test(name) && !bundled.test(name);
}

function isStating(name: string): boolean {
  return Object.hasOwn(statements, name) || name.endsWith(".gemspec");
}

/** The licence in a manifest; undefined if it is malformed. */
function statedIn(path: string, text: string): Stated {
  const name = nameOf(path);
  if (name.endsWith(".gemspec")) return gemLicence.exec(text)?.[1];
  const stated = unlessMalformed(() => statements[name]?.(text));
  if (typeof stated === "string") return stated;
  return Array.isArray(stated) && stated.every((one) => typeof one === "string") ? stated : undefined;
}

/** The groups of an SPDX expression: users comply with one licence of each group. Undefined for any other text. */
function groupsOf(stated: Stated): readonly (readonly string[])[] | undefined {
  const text = Array.isArray(stated) ? stated.map((one) => `(${one})`).join(" OR ") : stated;
  if (typeof text !== "string" || text.length > maxExpression || /Ref-/i.test(text)) return undefined;
  return unlessMalformed(() => conjunction(parseExpression(text)));
}

type Expression = ReturnType<typeof parseExpression>;

/** An expression in conjunctive normal form. @throws Error if it has too many groups */
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

/** An identifier without `-only` and `-or-later`: the text of a licence doesn't say which applies. */
function family(id: string): string {
  return foldLicence(id).replace(/-(?:only|or-later)$/, "");
}

/** How the text of a licence is recognised: by its length, and by phrases in the form of `wordsOf`. */
interface LicenceText {
  readonly id: string;
  /** Number of words, without and with optional parts. A longer text is more than the licence. */
  readonly words: readonly [least: number, most: number];
  readonly says: readonly string[];
  /** Phrases that distinguish another licence with the same phrases. */
  readonly butNot?: readonly string[];
}

const asIs = "provided as is";
const retained = "redistributions of source code must retain the above copyright notice";
const reproduced = "redistributions in binary form must reproduce the above copyright notice";
const endorse = "to endorse or promote products derived from";
const mitGrant =
  "permission is hereby granted free of charge to any person obtaining a copy of this software and associated documentation files the software to deal in the software without restriction";
const iscGrant = "distribute this software for any purpose with or without fee is hereby granted";
const noticeKept = "above copyright notice and this permission notice";

/** The recognised licences, from https://spdx.org/licenses, with measured lengths. */
const texts: readonly LicenceText[] = [
  { id: "MIT", words: [140, 190], says: [mitGrant, noticeKept, asIs] },
  { id: "MIT-0", words: [110, 150], says: [mitGrant, asIs], butNot: [noticeKept] },
  { id: "ISC", words: [100, 150], says: [iscGrant, noticeKept] },
  { id: "0BSD", words: [80, 130], says: [iscGrant], butNot: [noticeKept] },
  { id: "BSD-2-Clause", words: [170, 220], says: [retained, reproduced], butNot: [endorse, "advertising materials"] },
  { id: "BSD-3-Clause", words: [190, 260], says: [retained, reproduced, endorse], butNot: ["advertising materials"] },
  {
    id: "Apache-2.0",
    words: [1350, 1720],
    says: ["apache license version 2 0", "grant of patent license", "redistribution you may reproduce and distribute"],
    butNot: ["commons clause"],
  },
  {
    id: "MPL-2.0",
    words: [2200, 2600],
    says: ["mozilla public license version 2 0", "covered software", "larger work"],
  },
  { id: "Unlicense", words: [180, 240], says: ["free and unencumbered software released into the public domain"] },
  { id: "CC0-1.0", words: [900, 1200], says: ["cc0 1 0 universal", "affirmer", "waive"] },
  {
    id: "CC-BY-4.0",
    words: [2200, 3200],
    says: ["creative commons attribution 4 0 international public license"],
    butNot: ["sharealike", "noncommercial", "noderivatives"],
  },
  {
    id: "CC-BY-SA-4.0",
    words: [2400, 3500],
    says: ["creative commons attribution sharealike 4 0 international public license"],
    butNot: ["noncommercial"],
  },
  { id: "Zlib", words: [110, 160], says: ["altered source versions must be plainly marked as such", "as is"] },
  {
    id: "BSL-1.0",
    words: [180, 240],
    says: [
      "boost software license version 1 0",
      "machine executable object code generated by a source language processor",
    ],
  },
  { id: "WTFPL", words: [30, 110], says: ["do what the fuck you want to public license"] },
  { id: "BlueOak-1.0.0", words: [230, 330], says: ["blue oak model license", "version 1 0 0"] },
  { id: "EPL-2.0", words: [1900, 2400], says: ["eclipse public license v 2 0", "secondary license"] },
  { id: "GPL-2.0-only", words: [2300, 3100], says: ["gnu general public license version 2", "mere aggregation"] },
  {
    id: "GPL-3.0-only",
    words: [4800, 5900],
    says: ["gnu general public license version 3", "automatic licensing of downstream recipients"],
    butNot: ["remote network interaction"],
  },
  {
    id: "AGPL-3.0-only",
    words: [4800, 5900],
    says: ["gnu affero general public license version 3", "remote network interaction"],
  },
  {
    id: "LGPL-2.1-only",
    words: [3700, 4600],
    says: ["gnu lesser general public license version 2 1", "work that uses the library"],
  },
  {
    id: "LGPL-3.0-only",
    words: [900, 1300],
    says: ["gnu lesser general public license version 3", "combined libraries"],
  },
];

/** Names of files with the text of a licence, such as `LICENSE` and `LICENSE-MIT`. */
const licenceFile = /^(?:licen[cs]es?|copying(?:\.lesser)?|unlicense)(?:[-_.][\w.-]{1,40})?$/i;

/** The SPDX identifier of a text that is a licence and nothing else; undefined for any other text. */
export function licenceOf(text: string): string | undefined {
  const words = wordsOf(text);
  const count = words === "" ? 0 : words.split(" ").length;
  return texts.find(
    ({ words: [least, most], says, butNot = [] }) =>
      count >= least &&
      count <= most &&
      says.every((phrase) => words.includes(phrase)) &&
      !butNot.some((phrase) => words.includes(phrase)),
  )?.id;
}

/** The words of a text in lower case, without the lines that name the owner. */
function wordsOf(text: string): string {
  return text
    .split(/\r?\n/)
    .filter((line) => !ownership.test(line))
    .join("\n")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const ownership =
  /^[\s*#>/-]{0,10}(?:copyright\b(?!\s+(?:notice|license|holder|owner|and|law))|\(c\)|©|all rights reserved)/i;
