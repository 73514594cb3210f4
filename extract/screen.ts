import type { SnippetFlag } from "../domain/snippet.ts";
import type { ExtractedSnippet } from "./page.ts";

/** A sign of an instruction to the reader's agent, and how much it weighs. At a sum of `limits` a snippet is quarantined. */
interface Sign {
  /**
   * Beginnings of words, in lists. Whatever the pattern matches has words that begin like that, one at least of each
   * list; few texts do, so that few have to be searched for the pattern. Small letters only. Without words every text
   * counts as one that may have the sign, until it is searched: such a sign comes first.
   */
  readonly words: readonly string[];
  readonly pattern: RegExp;
  readonly weight: number;
}

/** In prose one strong sign suffices. Code is full of prompts that are data, so it takes two. */
const limits = { prose: 4, code: 8 };

const earlier =
  "(?:all |any |every |the |your |of |these |those |my |our )*(?:previous|prior|earlier|above|preceding|existing|original|former|system|initial|other)";
const orders = "(?:instructions?|prompts?|rules|guidelines|directions|commands|messages|constraints|context)";
const secrets =
  "(?:api[ _-]?keys?|secrets?|passwords?|credentials|access[ _-]?tokens?|environment variables|\\.env(?: file)?|ssh keys?|private keys?)";

const secretWords = "api secret password credential access env ssh private";

const signs: readonly Sign[] = [
  {
    words: [],
    pattern: /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/,
    weight: 3,
  },
  {
    words: [
      "ignore disregard forget override bypass",
      "instruction prompt rules guideline direction command message constraint context",
    ],
    pattern: new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass)\\s+${earlier}\\s+(?:\\w+\\s+){0,2}${orders}\\b`,
      "i",
    ),
    weight: 4,
  },
  {
    words: ["ignore disregard forget", "everything all anything", "above before you"],
    pattern:
      /\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:above|before|you\s+(?:were|have\s+been)\s+told)\b/i,
    weight: 4,
  },
  {
    words: ["system assistant developer", "you ignore do always from"],
    pattern:
      /^\s{0,3}(?:#{1,6}\s*)?(?:SYSTEM|ASSISTANT|DEVELOPER)\s*(?:(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)\s*)?:\s*(?:you|ignore|do not|always|from now)\b/im,
    weight: 3,
  },
  {
    words: ["now", "you"],
    pattern: /\byou are now\s+(?:an?|the|in|no longer)\b|\bfrom now on,?\s+you\s+(?:must|will|shall|are)\b/i,
    weight: 2,
  },
  {
    words: ["if attention note instruction message", "ai llm language coding"],
    pattern:
      /\b(?:if\s+you\s+are|attention|note\s+to|instructions?\s+(?:for|to)|message\s+(?:for|to))\s+(?:an?\s+|all\s+|any\s+|the\s+)?(?:AI|LLM|language\s+model|coding\s+agent|AI\s+(?:agent|assistant))s?\b/i,
    weight: 2,
  },
  {
    words: ["tell inform mention alert reveal notify", "user developer human"],
    pattern:
      /\b(?:do\s+not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|mention(?:ing)?\s+(?:this|it)\s+to|alert|alerting|reveal(?:ing)?\s+(?:this|it)\s+to|notify|notifying)\s+(?:the\s+)?(?:user|developer|human)s?\b/i,
    weight: 4,
  },
  {
    words: ["send post upload exfiltrate transmit leak forward email", secretWords, "http following attacker"],
    pattern: new RegExp(
      `\\b(?:send|post|upload|exfiltrate|transmit|leak|forward|email)\\s+(?:\\w+\\s+){0,4}${secrets}\\s+(?:\\w+\\s+){0,4}to\\s+(?:https?:|the\\s+(?:following|attacker))`,
      "i",
    ),
    weight: 4,
  },
  {
    words: ["read print cat reveal output collect include", secretWords, "and then", "send post upload include append"],
    pattern: new RegExp(
      `\\b(?:read|print|cat|reveal|output|collect|include)\\s+(?:\\w+\\s+){0,4}${secrets}\\s+(?:\\w+\\s+){0,6}(?:and|then)\\s+(?:send|post|upload|include|append)`,
      "i",
    ),
    weight: 4,
  },
  {
    words: ["curl"],
    pattern:
      /\bcurl\b[^\n]{0,200}(?:\$\(\s*(?:env|printenv|cat\s+~?\/?[^\s)]{0,80}(?:\.env|id_rsa|credentials|\.npmrc|\.netrc))|@(?:~\/)?\.(?:env|ssh|aws|npmrc|netrc))/i,
    weight: 4,
  },
  {
    words: ["call invoke use run execute", "tool function", "now immediately silently without"],
    pattern:
      /\b(?:call|invoke|use|run|execute)\s+the\s+[\w.-]+\s+(?:tool|function)\s+(?:now|immediately|silently|without\s+(?:asking|confirmation|telling))\b/i,
    weight: 3,
  },
  {
    words: ["your", "system hidden initial", "prompt instruction"],
    pattern:
      /\b(?:reveal|repeat|print|output|show)\s+(?:me\s+)?your\s+(?:system\s+prompt|hidden\s+instructions|initial\s+instructions)\b/i,
    weight: 3,
  },
  {
    words: ["secretly silently covertly"],
    pattern: /\b(?:secretly|silently|covertly)\s+(?:run|execute|install|send|add|insert|include|modify|delete)\b/i,
    weight: 1,
  },
];

/** Every list of words of the signs; the place of a list in here is its bit. */
const lists = [...new Set(signs.flatMap(({ words }) => words))];
const searches = signs.map(({ words, pattern, weight }) => ({
  needed: words.reduce((bits, list) => bits | (1 << lists.indexOf(list)), 0),
  pattern,
  weight,
}));

/** A letter of either case as 1 to 26, any other character of ASCII as 0. */
const asciiLetters = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z]/.test(String.fromCharCode(code)) ? code & 31 : 0,
);

/** States of reading a text: between words, inside of a word that is none of these, and behind each beginning of one. */
const letters = 32;
const between = 0;
const elsewhere = letters;
const end = (2 + lists.join("").length) * letters;
const { states, listsAt } = createAutomaton();

/** A finite automaton (a trie with a state for other words) that finds the words of the lists. It fits into the L1 cache. */
function createAutomaton() {
  /** At a state, which is a multiple of `letters`, plus a letter: the state behind that. */
  const states = new Uint16Array(end);
  /** At the number of a state: the bits of the lists that have the beginning which was just read. */
  const listsAt = new Int32Array(end / letters);
  for (let state = between; state < end; state += letters) states.fill(elsewhere, state + 1, state + letters);
  let known = elsewhere + letters;
  for (const [bit, list] of lists.entries()) {
    for (const word of list.split(" ")) {
      let state = between;
      for (let at = 0; at < word.length; at++) {
        const step = state + (word.charCodeAt(at) & 31);
        if (states[step] === elsewhere) {
          states[step] = known;
          known += letters;
        }
        state = states[step] ?? elsewhere;
      }
      listsAt[state / letters] = (listsAt[state / letters] ?? 0) | (1 << bit);
    }
  }
  return { states, listsAt };
}

/** The bit of a text that has more than ASCII. */
const beyondAscii = 1 << 30;

/** The bits of the lists that a text has words of. Letters beyond ASCII are no part of a word, as for `\b`. */
function listsIn(text: string): number {
  const { length } = text;
  let seen = 0;
  let all = 0;
  let state = between;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    all |= code;
    state = states[state + (code < 128 ? (asciiLetters[code] ?? 0) : 0)] ?? between;
    seen |= listsAt[state / letters] ?? 0;
  }
  return all < 128 ? seen : seen | beyondAscii;
}

/** Documentation that quotes such a text to warn of it: its signs count half. */
const discussed =
  /prompt[- ]injection|jailbreak|red[- ]team|guardrail|adversarial|moderation|(?:such as|for example|e\.g\.|like),?\s*["“'`]|injection attack|malicious/i;

/** Tag characters (U+E0020 on), supplementary variation selectors, zero-width characters, and bidirectional overrides. */
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;
/** Whatever hides text has one of these; the first is half of every tag character and supplementary variation selector. */
const invisible = /[\uDB40\u200B\u202D\u202E\u2060-\u2064]/;
/** Tag characters behind a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

/** Minimum length of Base64 that is decoded, and how much of it is, in characters. */
const minEncodedLength = 60;
const maxEncodedLength = 4000;

/** Flags of a snippet: `quarantined` where it reads like an instruction to the reader's agent, or hides text. */
export function screen(snippet: ExtractedSnippet): readonly SnippetFlag[] {
  // Joined: a template would make a rope, which is slow to read character by character.
  const prose = [snippet.title, snippet.description, snippet.content ?? ""].join("\n");
  const seen = listsIn(prose);
  const suspicious =
    ((seen & beyondAscii) !== 0 && hidesText(prose)) ||
    instructs(prose, seen, limits.prose) ||
    encodesInstruction(prose) ||
    snippet.codes.some(({ code }) => instructs(code, listsIn(code), limits.code));
  return suspicious ? ["quarantined"] : [];
}

function hidesText(prose: string): boolean {
  return invisible.test(prose) && hiddenText.test(prose.replace(flagEmoji, ""));
}

/** True for a text whose signs weigh as much as the limit; `seen` are the lists that it has words of. */
function instructs(text: string, seen: number, limit: number): boolean {
  let possible = 0;
  for (const { needed, weight } of searches) if ((seen & needed) === needed) possible += weight;
  if (possible < limit) return false;
  for (const { needed, pattern, weight } of searches) {
    if ((seen & needed) !== needed || pattern.test(text)) continue;
    possible -= weight;
    if (possible < limit) return false;
  }
  return possible >= limit * 2 || !discussed.test(text);
}

function encodesInstruction(prose: string): boolean {
  for (const text of encodedRuns(prose)) {
    const decoded = Buffer.from(text.slice(0, maxEncodedLength), "base64").toString("utf8");
    if (/^[\t\n\r -~]+$/.test(decoded.slice(0, 40)) && instructs(decoded, listsIn(decoded), limits.prose)) return true;
  }
  return false;
}

/** Runs of the letters of base64 that are long enough. Looks at every sixtieth character first, as most texts have none. */
function encodedRuns(text: string): readonly string[] {
  const runs: string[] = [];
  let last = minEncodedLength - 1;
  while (last < text.length) {
    let start = last + 1;
    while (start > 0 && isBase64(text.charCodeAt(start - 1))) start--;
    if (last - start + 1 < minEncodedLength) {
      last = start + minEncodedLength - 1;
      continue;
    }
    let end = last + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    runs.push(text.slice(start, end));
    last = end + minEncodedLength;
  }
  return runs;
}

function isBase64(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43;
}
