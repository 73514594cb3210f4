import { describe, expect, it } from "vitest";
import { languageOf, notesOf } from "../../api/answer/notes.ts";
import type { Passage } from "../../domain/passage.ts";
import { prosePassage } from "./samples.ts";

const english = "This is how to get started with the widgets that you have, and for what there is a size.";
const passagesWith = (markdown: string): readonly Passage[] => [
  { ...prosePassage, blocks: [{ type: "prose", markdown }] },
];
const base = { answering: "/acme/widgets", isIntroduction: false, missing: [], passages: passagesWith(english) };

describe("the notes of an answer", () => {
  it("are empty if no word is missing, even with unread formats", () => {
    expect(notesOf({ ...base, query: "how to make it", unread: { formats: "2 .textile files" } })).toEqual([]);
  });

  it("name missing words, and unread formats with what to do", () => {
    expect(notesOf({ ...base, query: "use it with Windsurf", missing: ["Windsurf"] })).toEqual([
      'No passage of /acme/widgets has "Windsurf".',
    ]);
    expect(
      notesOf({
        ...base,
        query: "a",
        missing: ["a", "b", "c"],
        unread: { formats: "2 .textile files (Textile)" },
      }),
    ).toEqual([
      'No passage of /acme/widgets has "a", "b" or "c".',
      "Not read: 2 .textile files (Textile). If this documentation has a website, add that: lectern add <address>",
    ]);
  });

  it("name the language of the question instead of its words", () => {
    const notesFor = (query: string, more: object = {}): readonly string[] =>
      notesOf({ ...base, query, missing: ["puedo"], ...more });
    expect(notesFor("cómo puedo hacer una copia")).toEqual([
      "The question is in Spanish, the documentation in English: ask in English.",
    ]);
    expect(
      notesFor("how can I do this", { passages: passagesWith("小部件的大小是固定的，可以随时更改颜色。") }),
    ).toEqual(["The question is in English, the documentation in Chinese: ask in Chinese."]);
    expect(notesFor("cómo puedo hacer una copia", { passages: [], isIntroduction: true, missing: [] })).toEqual([
      "The question is in Spanish, the documentation may be in another language: ask in that.",
    ]);
    expect(notesFor("how can I do this", { passages: [], isIntroduction: true, missing: [] })).toEqual([]);
  });
});

describe("the language of a text", () => {
  it.each([
    ["how do I configure the proxy", "English"],
    ["cómo puedo configurar el proxy con una clave", "Spanish"],
    ["comment puis-je configurer le proxy avec une clé", "French"],
    ["wie kann ich den Proxy mit einem Schlüssel einrichten", "German"],
    ["como posso configurar um proxy com uma chave", "Portuguese"],
    ["come posso configurare il proxy con una chiave", "Italian"],
    ["hoe kan ik de proxy met een sleutel instellen", "Dutch"],
    ["как настроить proxy", "Cyrillic letters"],
    ["プロキシを設定する方法 useRouter", "Japanese"],
    ["如何配置 vite.config.ts", "Chinese"],
    ["프록시 설정", "Korean"],
    ["cómo instalar", "Spanish"],
    ["configurar autenticación", "Spanish"],
    ["¿hay un proxy?", "Spanish"],
    ["configuração do proxy", "Portuguese"],
    ["variables d'environnement", "French"],
    ["Paket installieren", "German"],
    ["what is middleware", "English"],
  ])("%s", (text, language) => {
    expect(languageOf(text)).toBe(language);
  });

  it.each([
    "",
    "useState",
    "vite proxy config",
    "des der",
    "la de",
    "createWidget({ size })",
    "404",
    "add comment",
    "pour over",
    "usar",
    "don't",
  ])("cannot be detected in %j", (text) => {
    expect(languageOf(text)).toBeUndefined();
  });
});
