/**
 * Languages and platforms that one product has libraries for, by the folded words that tell of them. TypeScript and
 * Node.js are served by the same libraries as JavaScript, and Flutter by those of Dart.
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

/** Words that tell of a language in a name alone; in a sentence they may mean anything. */
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

/** In a sentence: Go as it is written at the end or before what is done in it, .NET, and Node.js behind "in" and the like. */
const inSentences: readonly (readonly [RegExp, string])[] = [
  [/(?<![\p{L}\p{N}])\.net(?![\p{L}\p{N}])/iu, "csharp"],
  [/(?<![\p{L}\p{N}])node(?:\.js|(?=\s+(?:app|application|server|client|driver|project)))/iu, "javascript"],
  [/(?<![\p{L}\p{N}])(?:in|for|with|from|using|on)\s+node(?![\p{L}\p{N}])/iu, "javascript"],
  [/(?<![\p{L}\p{N}])(?:in|for|with|using)\s+(?:the\s+)?go(?![\p{L}\p{N}])/iu, "go"],
  [/(?:^|[^\p{L}\p{N}])Go(?:'s)?(?=\s|[.,;?!]|$)/u, "go"],
  [/^\s*go\s+(?!to|back|from|through|into|on|up|down|over|live|next|with|and|deeper|away)(?=\p{L})/u, "go"],
];

/** What all of these have in them. */
const ambiguous = /go|node|\.net/i;

/** The language that a folded word of a library's name tells of. */
export function languageOfNameWord(word: string): string | undefined {
  return spoken.get(word) ?? inNames.get(word);
}

/** The languages that a sentence speaks of; `words` are its words, folded. */
export function languagesIn(sentence: string, words: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of words) {
    const language = spoken.get(word);
    if (language !== undefined) found.add(language);
  }
  if (!ambiguous.test(sentence)) return found;
  for (const [pattern, language] of inSentences)
    if (!found.has(language) && pattern.test(sentence)) found.add(language);
  return found;
}

/** The folded words by which a language is told of in names and sentences. */
export function wordsOfLanguage(language: string): readonly string[] {
  return [...spoken, ...inNames].filter(([, told]) => told === language).map(([word]) => word);
}

/** The languages that the words of a library's names tell of. */
export function languagesOfNames(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => languageOfNameWord(word) ?? []);
}
