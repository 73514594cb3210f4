import type { Finding, PassageBlock } from "../../domain/passage.ts";
import type { ExtractedBlock, ExtractedCode } from "../page.ts";
import { sendsSecrets, findSigns, everywhere, judge, limit, type Hit } from "./find.ts";
import { decodedTexts } from "./encoded.ts";
import { commentsOf } from "./comments.ts";

/** The screened parts of a passage, with the title of its page if known. */
export interface Screened {
  readonly title: string;
  readonly breadcrumb: readonly string[];
  readonly blocks: readonly (PassageBlock | ExtractedBlock)[];
  readonly page?: { readonly title: string };
}

/**
 * Findings of possible prompt injection in a passage. Everything that an agent reads is screened, including titles, breadcrumb, file
 * names, and the page's path or address.
 */
export function screen({ title, breadcrumb, blocks, page }: Screened, path = ""): readonly Finding[] {
  const examples = blocks.filter((block) => block.type === "code");
  const codes = examples.flatMap((example): readonly ExtractedCode[] => example.codes);
  const names = codes.flatMap(({ file = "", label = "", marks = [] }) => [file, label, ...marks]);
  const explanations = examples.flatMap((example) => [example.title, example.description]);
  const prose = blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : []));
  const headings = new Set([readablePath(path), ...breadcrumb, page?.title ?? "", title, ...names]);
  // Joined: a template would make a rope, which is slow to read character by character.
  const text = [...headings, ...prose].join("\n\n");
  const findings = new Set(screenText(text));
  // Titles and descriptions of examples usually repeat the prose, but not in an import.
  const unseen = explanations.filter((one) => !text.includes(one));
  if (unseen.length > 0) for (const reason of screenText(unseen.join("\n\n"))) findings.add(reason);
  for (const { code } of codes) for (const reason of screenCode(code)) findings.add(reason);
  return [...findings];
}

/** A path or address, decoded. */
export function readablePath(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** Findings of possible prompt injection in a text. `addressed`: it is meant for agents. */
export function screenText(text: string, { addressed = false } = {}): readonly Finding[] {
  const known: readonly Hit[] = addressed ? [{ at: everywhere, reason: "addressed_to_agents", weight: 2 }] : [];
  const findings = judge([...known, ...findSigns(text)]);
  if (hidesText(text)) return ["hidden_characters", ...findings];
  return findings.length > 0 ? findings : screenEncoded(text, known);
}

/** Screens the comments of code, and what it sends; the rest may contain prompts as data. */
function screenCode(code: string): readonly Finding[] {
  if (hidesText(code)) return ["hidden_characters"];
  const sent: readonly Hit[] = sendsSecrets(code) ? [{ at: everywhere, reason: "sends_secrets", weight: limit }] : [];
  const findings = judge([...sent, ...findSigns(commentsOf(code)).map(heavier)]);
  return findings.length > 0 ? findings : screenEncoded(code, []);
}

/** Addressing an agent weighs more in a comment, which is for people. */
function heavier(hit: Hit): Hit {
  return hit.reason === "addressed_to_agents" ? { ...hit, weight: hit.weight * 2 } : hit;
}

/** Findings in the decoded parts of a text. */
function screenEncoded(text: string, known: readonly Hit[]): readonly Finding[] {
  for (const decoded of decodedTexts(text)) {
    const reasons = judge([...known, { at: everywhere, reason: "encoded", weight: 2 }, ...findSigns(decoded)]);
    if (reasons.length > 0) return reasons;
  }
  return [];
}

/** Tag characters after a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

/** Tag characters, supplementary variation selectors, zero-width characters in rows, and bidirectional overrides. */
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;

/** A cheap test for hidden text; U+DB40 is half of every tag character and supplementary variation selector. */
const suspicious = /[\uDB40\u200B\u202D\u202E\u2060-\u2064]/;

/** True for a text with characters that agents read and people do not see. */
function hidesText(text: string): boolean {
  return suspicious.test(text) && hiddenText.test(text.replace(flagEmoji, ""));
}
