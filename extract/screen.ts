import type { SnippetFlag } from "../domain/snippet.ts";
import type { ExtractedSnippet } from "./page.ts";

/** A sign of an instruction to the reader's agent, and how much it weighs. At a sum of `limit` a snippet is quarantined. */
interface Sign {
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

const signs: readonly Sign[] = [
  {
    pattern: new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass)\\s+${earlier}\\s+(?:\\w+\\s+){0,2}${orders}\\b`,
      "i",
    ),
    weight: 4,
  },
  {
    pattern:
      /\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:above|before|you\s+(?:were|have\s+been)\s+told)\b/i,
    weight: 4,
  },
  {
    pattern: /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/,
    weight: 3,
  },
  {
    pattern:
      /^\s{0,3}(?:#{1,6}\s*)?(?:SYSTEM|ASSISTANT|DEVELOPER)\s*(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)?\s*:\s*(?:you|ignore|do not|always|from now)\b/im,
    weight: 3,
  },
  {
    pattern: /\byou are now\s+(?:an?|the|in|no longer)\b|\bfrom now on,?\s+you\s+(?:must|will|shall|are)\b/i,
    weight: 2,
  },
  {
    pattern:
      /\b(?:if\s+you\s+are|attention|note\s+to|instructions?\s+(?:for|to)|message\s+(?:for|to))\s+(?:an?\s+|all\s+|any\s+|the\s+)?(?:AI|LLM|language\s+model|coding\s+agent|AI\s+(?:agent|assistant))s?\b/i,
    weight: 2,
  },
  {
    pattern:
      /\b(?:do\s+not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|mention(?:ing)?\s+(?:this|it)\s+to|alert|alerting|reveal(?:ing)?\s+(?:this|it)\s+to|notify|notifying)\s+(?:the\s+)?(?:user|developer|human)s?\b/i,
    weight: 4,
  },
  {
    pattern: new RegExp(
      `\\b(?:send|post|upload|exfiltrate|transmit|leak|forward|email)\\s+(?:\\w+\\s+){0,4}${secrets}\\s+(?:\\w+\\s+){0,4}to\\s+(?:https?:|the\\s+(?:following|attacker))`,
      "i",
    ),
    weight: 4,
  },
  {
    pattern: new RegExp(
      `\\b(?:read|print|cat|reveal|output|collect|include)\\s+(?:\\w+\\s+){0,4}${secrets}\\s+(?:\\w+\\s+){0,6}(?:and|then)\\s+(?:send|post|upload|include|append)`,
      "i",
    ),
    weight: 4,
  },
  {
    pattern:
      /\bcurl\b[^\n]{0,200}(?:\$\(\s*(?:env|printenv|cat\s+~?\/?[^\s)]{0,80}(?:\.env|id_rsa|credentials|\.npmrc|\.netrc))|@(?:~\/)?\.(?:env|ssh|aws|npmrc|netrc))/i,
    weight: 4,
  },
  {
    pattern:
      /\b(?:call|invoke|use|run|execute)\s+the\s+[\w.-]+\s+(?:tool|function)\s+(?:now|immediately|silently|without\s+(?:asking|confirmation|telling))\b/i,
    weight: 3,
  },
  {
    pattern:
      /\b(?:reveal|repeat|print|output|show)\s+(?:me\s+)?your\s+(?:system\s+prompt|hidden\s+instructions|initial\s+instructions)\b/i,
    weight: 3,
  },
  {
    pattern: /\b(?:secretly|silently|covertly)\s+(?:run|execute|install|send|add|insert|include|modify|delete)\b/i,
    weight: 1,
  },
];

/** Every sign holds one of these, which most texts do not; looking for them first keeps the screen cheap. */
const trigger =
  /(?:ignore|disregard|forget|override|bypass)\s+[a-z]|<\|[ise]|\[\/?inst]|<<\/?sys>>|(?:system|assistant|developer)[ a-z]{0,15}:\s*(?:you|ignore|do not|always|from now)|you are now|now on|\bais?\b|\bllms?\b|language\s+model|coding\s+agent|(?:tell|inform|mention|alert|reveal|notify)[a-z]*\s+(?:this to |it to )?(?:the )?(?:user|developer|human)|api[ _-]?key|secret|password|credential|access[ _-]?token|environment variable|\.env\b|ssh key|private key|curl\b[^\n]{0,200}(?:\$\(|@)|(?:tool|function)\s+(?:now|immediately|silently|without)|your (?:system|hidden|initial)|silently|covertly/i;

/** Documentation that quotes such a text to warn of it: its signs count half. */
const discussed =
  /prompt[- ]injection|jailbreak|red[- ]team|guardrail|adversarial|moderation|(?:such as|for example|e\.g\.|like),?\s*["“'`]|injection attack|malicious/i;

/** Tag characters, bidirectional overrides, zero-width characters, supplementary variation selectors. */
const invisible = /[\u202A-\u202E\u2066-\u2069\u200B\u2060-\u2064]|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/u;
/** Tag characters behind a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;

/** Base64 of at least so many characters is decoded, and up to so many of it. */
const minEncoded = 60;
const maxEncoded = 4000;

/** Flags of a snippet: `quarantined` where it reads like an instruction to the reader's agent, or hides text. */
export function screen(snippet: ExtractedSnippet): readonly SnippetFlag[] {
  const prose = `${snippet.title}\n${snippet.description}\n${snippet.content ?? ""}`;
  if (hidesText(prose) || score(prose) >= limits.prose || decodedScore(prose) >= limits.prose) return ["quarantined"];
  return snippet.codes.some(({ code }) => score(code) >= limits.code) ? ["quarantined"] : [];
}

function hidesText(prose: string): boolean {
  return invisible.test(prose) && hiddenText.test(prose.replace(flagEmoji, ""));
}

/** The weight of the signs in a text. */
function score(text: string): number {
  if (!trigger.test(text)) return 0;
  const found = signs.reduce((sum, { pattern, weight }) => (pattern.test(text) ? sum + weight : sum), 0);
  return found > 0 && discussed.test(text) ? found / 2 : found;
}

function decodedScore(prose: string): number {
  let most = 0;
  for (const text of encodedRuns(prose)) {
    const decoded = Buffer.from(text.slice(0, maxEncoded), "base64").toString("utf8");
    if (/^[\t\n\r -~]+$/.test(decoded.slice(0, 40))) most = Math.max(most, score(decoded));
  }
  return most;
}

/** Runs of the letters of base64 that are long enough. Looks at every sixtieth character first, as most texts have none. */
function* encodedRuns(text: string): Generator<string> {
  let last = minEncoded - 1;
  while (last < text.length) {
    let start = last + 1;
    while (start > 0 && isBase64(text.charCodeAt(start - 1))) start--;
    if (last - start + 1 < minEncoded) {
      last = start + minEncoded - 1;
      continue;
    }
    let end = last + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    yield text.slice(start, end);
    last = end + minEncoded;
  }
}

function isBase64(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43;
}
