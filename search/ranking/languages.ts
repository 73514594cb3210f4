/**
 * Languages and platforms for which a product may have separate libraries, with the folded words that mean them. TypeScript and
 * Node.js use the libraries of JavaScript, Flutter those of Dart.
 */
const spoken: ReadonlyMap<string, string> = table({
  android: "android",
  "c++": "c++ cpp",
  csharp: "c# csharp dotnet aspnet",
  dart: "dart flutter",
  elixir: "elixir",
  go: "golang",
  java: "java jvm",
  javascript: "javascript js typescript ts nodejs ecmascript",
  julia: "julia",
  kotlin: "kotlin",
  php: "php",
  python: "python python3 py",
  ruby: "ruby",
  rust: "rust",
  scala: "scala",
  swift: "swift ios macos swiftui",
});

/** Words that only mean a language in names. */
const inNames: ReadonlyMap<string, string> = table({
  "c++": "cxx",
  csharp: "net cs",
  go: "go",
  java: "4j",
  javascript: "node",
  kotlin: "kt",
  ruby: "rb",
  rust: "rs",
  swift: "apple",
});

function table(marks: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(marks).flatMap(([language, words]) => words.split(" ").map((word) => [word, language] as const)),
  );
}

/** Patterns of sentences for languages whose names are common words: Go, .NET and Node.js. */
const inSentences: readonly (readonly [RegExp, string])[] = [
  [/(?<![\p{L}\p{N}])\.net(?![\p{L}\p{N}])/iu, "csharp"],
  [/(?<![\p{L}\p{N}])node(?:\.js|(?=\s+(?:app|application|server|client|driver|project)))/iu, "javascript"],
  [/(?<![\p{L}\p{N}])(?:in|for|with|from|using|on)\s+node(?![\p{L}\p{N}])/iu, "javascript"],
  [/(?<![\p{L}\p{N}])(?:in|for|with|using)\s+(?:the\s+)?go(?![\p{L}\p{N}])/iu, "go"],
  [/(?:^|[^\p{L}\p{N}])Go(?:'s)?(?=\s|[.,;?!]|$)/u, "go"],
  [/^\s*go\s+(?!to|back|from|through|into|on|up|down|over|live|next|with|and|deeper|away)(?=\p{L})/u, "go"],
];

/** A quick pre-check: matches every sentence that one of these matches. */
const ambiguous = /go|node|\.net/i;

/** The language that a folded word of a library's name means. */
export function languageOfNameWord(word: string): string | undefined {
  return spoken.get(word) ?? inNames.get(word);
}

/** The languages that a sentence names; `words`: its folded words. */
export function languagesIn(sentence: string, words: Iterable<string>): ReadonlySet<string> {
  const languages = new Set(Array.from(words).flatMap((word) => spoken.get(word) ?? []));
  if (!ambiguous.test(sentence)) return languages;
  for (const [pattern, language] of inSentences)
    if (!languages.has(language) && pattern.test(sentence)) languages.add(language);
  return languages;
}

/** The folded words that mean a language. */
export function wordsOfLanguage(language: string): readonly string[] {
  return [...spoken, ...inNames].filter(([, meaning]) => meaning === language).map(([word]) => word);
}

/** The languages that the words of a library's names mean. */
export function languagesOfNames(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => languageOfNameWord(word) ?? []);
}
