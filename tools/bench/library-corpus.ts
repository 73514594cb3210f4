import { foldId } from "../../domain/library.ts";
import type { LibraryEntry } from "../../domain/ports.ts";
import type { Subject, WordCounts } from "../../domain/subject.ts";
import { libraryCatalogue } from "../../test/ranking/library-samples.ts";
import { seededRandom } from "./measure.ts";

const parts =
  `api auth admin adapter async audio auto backup bench bot bridge browser build builder bundle button cache calendar
  canvas chart chat cli client cloud code color component config connect console content core crawler cron crypto css
  dash data date debug deploy design dev diff dns docs download driver editor email engine env event export fetch file
  filter flow font form fs geo git grid hook http icon image import index input input intl json jwt kit layout lazy lib
  link lint list loader log mail map markdown menu merge metrics mock modal model monitor native notify oauth orm parser
  pdf picker player plugin pool proxy push query queue rate react redis render request resize rest retry router rpc
  runner sandbox schema scroll search select server session shell sign slider socket sort spec sql state storage store
  stream string style sync table tag task template test text theme time toast token tool tooltip tree type ui upload
  url user util validate vector video view watch web widget worker xml yaml zip`.split(/\s+/);
const syllables =
  "ba be bi bo bra cal co da de dra el en fa fi flo ga gra ha in jo ka ki la le lo lu ma me mi mo na ne no nu o pa pi pra ra re ri ro sa se si so sta ta te ti to tra u va ve vi vo wa wi xa ya yo za ze zi zo".split(
    " ",
  );
const descriptions = [
  "A library for",
  "Small and fast",
  "Tools for",
  "Modern",
  "A simple way to",
  "Typed",
  "Unofficial client of",
  "Bindings for",
  "A plugin for",
  "Components for",
];
const languages = "JavaScript TypeScript Python Go Rust Java PHP Ruby C# Swift Kotlin React Vue Node.js".split(" ");

/**
 * Creates libraries: the well-known ones of the tests, and generated ones whose names have a well-known name, usual words or a unique word,
 * as in package registries. The seed is fixed.
 */
export function createLibraries(count: number): readonly LibraryEntry[] {
  const known = libraryCatalogue();
  const random = seededRandom(5);
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[Math.floor(random() * from.length)];
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  };
  // A few names are part of very many others.
  const popular = () => known[Math.floor(known.length * random() ** 3)]?.title.toLowerCase() ?? "react";
  const coined = () => Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(syllables)).join("");
  const entries = new Map(known.map((entry) => [entry.id, entry]));
  while (entries.size < count) {
    const kind = random();
    const words =
      kind < 0.35
        ? [popular(), pick(parts), ...(random() < 0.4 ? [pick(parts)] : [])]
        : kind < 0.65
          ? [pick(parts), pick(parts), ...(random() < 0.3 ? [pick(parts)] : [])]
          : kind < 0.9
            ? [coined(), ...(random() < 0.4 ? [pick(parts)] : [])]
            : [coined()];
    const name = words.join(random() < 0.8 ? "-" : "").replaceAll(/[^\w.-]+/g, "-");
    const id = `/${coined()}${random() < 0.3 ? pick(parts) : ""}/${name}`;
    const about = Array.from({ length: 4 + Math.floor(random() * 8) }, () => (random() < 0.2 ? coined() : pick(parts)));
    const totalSnippets = Math.ceil(10 ** (1 + 2.5 * random() ** 2));
    entries.set(id, {
      uid: id,
      key: { teamspace: "", id: foldId(id) },
      id,
      title: random() < 0.5 ? words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") : name,
      description: `${pick(descriptions)} ${about.join(" ")}${random() < 0.6 ? ` in ${pick(languages)}` : ""}.`,
      aliases: random() < 0.3 ? [{ name: `@${coined()}/${name}`, manifest: "package.json" }] : [],
      source: `https://git.example.com${id}`,
      branch: "main",
      versions: random() < 0.2 ? ["v1.0.0", "v2.0.0"] : [],
      totalSnippets,
      totalTokens: 150 * totalSnippets,
      trust: random() < 0.5 ? null : Math.floor(random() * 10),
      updatedAt: 1_700_000_000_000,
    });
  }
  return [...entries.values()].slice(0, count);
}

/** The name with two letters in its middle swapped. */
export function misspelt(name: string): string {
  const at = Math.floor(name.length / 2);
  return name.slice(0, at - 1) + name.charAt(at) + name.charAt(at - 1) + name.slice(at + 1);
}

/** Number of words that libraries say, from frequent to rare ones, and of those that one says. */
const vocabulary = 20_000;
const said = 300;

/** What generated libraries are about: words of names, and others of which few are frequent. Each call gives another subject. */
export function createSubjects(): () => Subject {
  const random = seededRandom(7);
  const count = (most: number): number => 1 + Math.floor(most * random() ** 4);
  const counted = (words: number, most: number): WordCounts => {
    const found = new Map(Array.from({ length: words }, () => [saidWord(random), count(most)] as const));
    return { total: 2 * most, words: [...found].toSorted(([, a], [, b]) => b - a) };
  };
  return () => ({ titles: counted(said / 4, 20), passages: counted(said, 60) });
}

/** Questions to no library in particular, in words that libraries say. */
export function createQuestions(count: number): readonly string[] {
  const random = seededRandom(8);
  return Array.from(
    { length: count },
    () => `how do I ${Array.from({ length: 6 }, () => saidWord(random)).join(" ")} again?`,
  );
}

function saidWord(random: () => number): string {
  const place = Math.floor(vocabulary * random() ** 3);
  return (
    parts[place] ??
    `${syllables[place % syllables.length]}${syllables[Math.floor(place / syllables.length) % syllables.length]}${place % 97}`
  );
}
