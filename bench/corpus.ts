/** A source of numbers that gives the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables = [
  "con",
  "fig",
  "ser",
  "ver",
  "rou",
  "ter",
  "quer",
  "mid",
  "dle",
  "ware",
  "han",
  "dler",
  "cli",
  "ent",
  "ses",
  "sion",
  "tok",
  "en",
  "ren",
  "der",
  "sta",
  "te",
  "par",
  "se",
  "stre",
  "am",
  "buf",
  "fer",
  "lo",
  "ad",
  "bun",
  "dle",
  "plu",
  "gin",
  "mod",
  "ule",
];

/** Words by rank: the first are frequent, as in any language. */
const vocabulary = ((): readonly string[] => {
  const random = seededRandom(7);
  const pick = (): string => syllables[Math.floor(random() * syllables.length)] ?? "";
  return Array.from({ length: 6000 }, () => Array.from({ length: 1 + Math.floor(random() * 3) }, pick).join(""));
})();

/** Writes pages of documentation: headings, prose, lists and code, as documentation has them. */
export function createWriter(seed: number): {
  page(title: string, characters: number): string;
  question(words: number): string;
  code(characters: number): string;
} {
  const random = seededRandom(seed);
  const word = (): string => vocabulary[Math.floor(vocabulary.length * random() ** 3)] ?? "word";
  const words = (count: number): string => Array.from({ length: count }, word).join(" ");
  const identifier = (): string => `${word()}${word().replace(/^./, (letter) => letter.toUpperCase())}`;
  const sentence = (): string =>
    `${words(6 + Math.floor(random() * 14)).replace(/^./, (letter) => letter.toUpperCase())} \`${identifier()}\`.`;
  const paragraph = (): string => Array.from({ length: 2 + Math.floor(random() * 4) }, sentence).join(" ");
  const codeLine = (): string =>
    `  const ${identifier()} = await ${identifier()}.${identifier()}({ ${word()}: "${word()}", ${word()}: ${Math.floor(random() * 1000)} });`;
  const block = (): string =>
    `\`\`\`ts\nimport { ${identifier()} } from "${word()}";\n${Array.from({ length: 4 + Math.floor(random() * 10) }, codeLine).join("\n")}\n\`\`\``;
  const list = (): string => Array.from({ length: 4 }, () => `- ${sentence()}`).join("\n");

  return {
    page(title, characters) {
      const parts = [`# ${title}`, paragraph()];
      let size = 0;
      while (size < characters) {
        const section = [`## ${words(3)}`, paragraph(), block(), random() < 0.5 ? list() : paragraph()];
        parts.push(...section);
        size += section.reduce((sum, part) => sum + part.length + 2, 0);
      }
      return `${parts.join("\n\n")}\n`;
    },
    question: (count) => `how do I ${words(count)}`,
    code(characters) {
      let text = "";
      while (text.length < characters) text += `${codeLine()}\n`;
      return text;
    },
  };
}

/** Files of a repository: documents of about 10,000 characters below `docs/`, and code that is no documentation. */
export function repositoryFiles(
  seed: number,
  { documents, sources }: { documents: number; sources: number },
): Record<string, string> {
  const writer = createWriter(seed);
  const files: Record<string, string> = {};
  for (let index = 0; index < documents; index += 1) {
    files[`docs/part-${Math.floor(index / 50)}/page-${index}.md`] = writer.page(
      `Page ${index} ${writer.question(3)}`,
      10_000,
    );
  }
  for (let index = 0; index < sources; index += 1)
    files[`src/module-${Math.floor(index / 50)}/file-${index}.ts`] = writer.code(8_000);
  return files;
}
