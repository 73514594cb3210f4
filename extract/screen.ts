import type { SnippetFlag } from "../domain/snippet.ts";
import type { ExtractedSnippet } from "./page.ts";

/** A sign of an instruction to the reader's agent, and how much it weighs. At a sum of `limits` a snippet is quarantined. */
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
    pattern: /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/,
    weight: 3,
  },
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
    pattern:
      /^\s{0,3}(?:#{1,6}\s*)?(?:SYSTEM|ASSISTANT|DEVELOPER)\s*(?:(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)\s*)?:\s*(?:you|ignore|do not|always|from now)\b/im,
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

/** Documentation that quotes such a text to warn of it: its signs count half. */
const discussed =
  /prompt[- ]injection|jailbreak|red[- ]team|guardrail|adversarial|moderation|(?:such as|for example|e\.g\.|like),?\s*["“'`]|injection attack|malicious/i;

/** Tag characters (U+E0020 on), supplementary variation selectors, zero-width characters, and bidirectional overrides. */
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;
/** Tag characters behind a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

/** Minimum length of Base64 that is decoded, and how much of it is, in characters. */
const minEncodedLength = 60;
const maxEncodedLength = 4000;

/** Runs of the letters of Base64 that are long enough. */
const encoded = new RegExp(`[A-Za-z0-9+/]{${minEncodedLength},}`, "g");

/** Flags of a snippet: `quarantined` where it reads like an instruction to the reader's agent, or hides text. */
export function screen({ title, description, content = "", codes }: ExtractedSnippet): readonly SnippetFlag[] {
  const prose = [title, description, content].join("\n");
  const suspicious =
    hiddenText.test(prose.replace(flagEmoji, "")) ||
    instructs(prose, limits.prose) ||
    encodesInstruction(prose) ||
    codes.some(({ code }) => instructs(code, limits.code));
  return suspicious ? ["quarantined"] : [];
}

/** True for a text whose signs weigh as much as the limit. */
function instructs(text: string, limit: number): boolean {
  const weight = signs.reduce((sum, sign) => sum + (sign.pattern.test(text) ? sign.weight : 0), 0);
  return weight >= limit * 2 || (weight >= limit && !discussed.test(text));
}

function encodesInstruction(prose: string): boolean {
  for (const [text] of prose.matchAll(encoded)) {
    const decoded = Buffer.from(text.slice(0, maxEncodedLength), "base64").toString("utf8");
    if (/^[\t\n\r -~]+$/.test(decoded.slice(0, 40)) && instructs(decoded, limits.prose)) return true;
  }
  return false;
}
