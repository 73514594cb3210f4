import { contentsOf, join, mirrors, nameOf, toFolders, withoutFolders } from "./paths.ts";

/** Languages that documentation is translated into (ISO 639-1), without English. */
const languages = new Set(
  (
    "af am ar az be bg bn bs ca cs da de el eo es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko " +
    "ku ky lo lt lv mk ml mn mr ms my nb ne nl nn no pa pl ps pt ro ru si sk sl sq sr sv sw ta te tg th tk tl tr uk ur " +
    "uz vi yo yue zh zu"
  ).split(" "),
);

/** Countries and scripts of Chinese that some name in place of a language. */
const countries = new Set("br chs cht cn hk jp kr tw zhs zht".split(" "));

const englishNames = new Set(["en", "eng", "english", "en-us", "en-gb"]);

/** Folders with a folder for each language, often with the English documents elsewhere. */
const containers = new Set("i18n,l10n,locale,locales,translated,translated-docs,translation,translations".split(","));

/** Languages whose codes rarely mean anything else, even without a region or script. */
const unmistakable = new Set(["zh", "ja", "ko", "fil", "yue"]);

/**
 * Drops translations of other documents in the tree: folders named like a language of whose documents half or more are in the English
 * folder next to them, in their parent (`docs/zh/` in `docs/`), in a sibling (`docs-zh/` and `docs/`), or, if they are in a folder for
 * translations, anywhere by their names; and files named like another file with a language (`README.zh-CN.md`). Keeps documents without
 * an English counterpart, and folders that are `requested` by name.
 */
export function dropTranslations(
  paths: readonly string[],
  requested: (folder: string) => boolean = () => false,
): string[] {
  /** Folders named like a language, which are translations if they have the same documents as their original. */
  const named = new Map<string, Named>();
  for (const [parent, names] of toFolders(paths)) {
    const original = [...names].find((name) => englishNames.has(fold(name)));
    const isContainer = containers.has(fold(nameOf(parent)));
    for (const name of names) {
      const folder = join(parent, name);
      const kind = toKind(name);
      if (name.length > maxNameLength || requested(folder) || englishNames.has(fold(name))) continue;
      if (kind !== undefined && (isContainer || (original !== undefined && kind !== "country")))
        named.set(folder, { original: join(parent, original ?? ""), minShared: 1, byName: true });
      else if (original !== undefined && /^[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?$/.test(name))
        named.set(folder, { original: join(parent, original), minShared: 2 });
      else if (kind !== undefined) named.set(folder, { original: parent, minShared: kind === "clear" ? 1 : 2 });
      else {
        const [, stem, ending] = /^(.+?)[-_.]([A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?)$/.exec(name) ?? [];
        if (stem !== undefined && names.has(stem) && ending !== undefined && toKind(ending) !== undefined)
          named.set(folder, { original: join(parent, stem), minShared: 2 });
      }
    }
  }
  const translations = new Set<string>();
  if (named.size > 0) {
    const all = new Set(paths);
    const names = new Set(withoutFolders(paths, new Set(named.keys())).map((path) => withoutEnding(nameOf(path))));
    const isNamed = (path: string): boolean =>
      !isEntry(withoutEnding(nameOf(path))) && names.has(withoutEnding(nameOf(path)));
    for (const [folder, inside] of contentsOf(named.keys(), paths)) {
      const { original = "", minShared = 2, byName = false } = named.get(folder) ?? {};
      if (mirrors(inside, (path) => all.has(join(original, path)) || (byName && isNamed(path)), minShared))
        translations.add(folder);
    }
  }
  const english = withoutFolders(paths, translations);
  // If only files at the root were left, all documentation would be in translations.
  const kept = english.some((path) => path.includes("/")) ? english : [...paths];
  const suspects = kept.filter((path) => namesLanguage.test(path));
  if (suspects.length === 0) return kept;
  const names = new Set(kept.map((path) => withoutEnding(path).toLowerCase()));
  const translated = new Set(suspects.filter((path) => isTranslatedFile(path, names)));
  return kept.filter((path) => !translated.has(path));
}

/** A folder named like a language. */
interface Named {
  /** The folder that it may translate. */
  readonly original: string;
  /** Number of documents that have to be in both. */
  readonly minShared: number;
  /** Documents with the same names anywhere count: its own layout may be another. */
  readonly byName?: boolean;
}

/** Whether a file's name without its ending is that of a folder's entry, which many folders have. */
function isEntry(name: string): boolean {
  return /^(?:readme|index|_index)$/i.test(name);
}

/** Maximum length of a language folder's name, in characters. */
const maxNameLength = 100;

/** A file name with a possible language before its ending. */
const namesLanguage = /[-_.][A-Za-z]{2,4}\.[A-Za-z]+$/;

/** How certain it is that a name is a language: `clear`, `likely`, or a `country` in place of a language; undefined if it is none. */
function toKind(name: string): "clear" | "likely" | "country" | undefined {
  if (name.length > 12) return undefined;
  const [language = "", region, ...more] = fold(name).split("-");
  if (more.length > 0 || (region !== undefined && !/^(?:[a-z]{2}|hans|hant|latn|cyrl|\d{3})$/.test(region)))
    return undefined;
  if (languages.has(language)) return region !== undefined || unmistakable.has(language) ? "clear" : "likely";
  if (region !== undefined) return /^[a-z]{2}$/.test(language) && language !== "en" ? "clear" : undefined;
  return countries.has(language) ? "country" : undefined;
}

/**
 * Whether a file such as `README.zh-CN.md`, `README_ja.md` or `index.fr.md` has its original among the names: without a language, or
 * with English. The original of a README may be at the root. After a hyphen or underscore, a code that may be a word (`check-it.md`,
 * `log_in.md`) counts as a language only after README and index.
 */
function isTranslatedFile(path: string, names: ReadonlySet<string>): boolean {
  const slash = path.lastIndexOf("/") + 1;
  const [, stem = "", separator = "", ending = ""] =
    /^(.+?)([-_.])([A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?)$/.exec(withoutEnding(path.slice(slash))) ?? [];
  const kind = stem === "" ? undefined : toKind(ending);
  if (kind === undefined) return false;
  if (!isEntry(stem) && (kind === "country" || (separator !== "." && kind !== "clear"))) return false;
  const places = [path.slice(0, slash), ...(fold(stem) === "readme" ? [""] : [])];
  return places.some((folder) =>
    ["", ".en", "-en", "_en", ".en-us", "-en-us", "_en-us", ".en_us"].some((end) =>
      names.has(`${folder}${stem}${end}`.toLowerCase()),
    ),
  );
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

function withoutEnding(path: string): string {
  return path.replace(/\.[^./]*$/, "");
}
