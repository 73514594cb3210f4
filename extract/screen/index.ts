import type { Finding, PassageBlock } from "../../domain/passage.ts";
import type { ExtractedBlock, ExtractedCode } from "../page.ts";
import { sendsSecrets, findSigns, everywhere, judge, limit } from "./find.ts";
import type { Hit } from "./find.ts";
import { decodedTexts } from "./encoded.ts";
import { commentsOf } from "./comments.ts";

/** What is screened of a passage, and the title of its page if that is known. */
export interface Screened {
  readonly title: string;
  readonly breadcrumb: readonly string[];
  readonly blocks: readonly (PassageBlock | ExtractedBlock)[];
  readonly page?: { readonly title: string };
}

/**
 * The reasons to take a passage for an order to the reader's agent; none for one that is documentation. Whatever an agent gets to read is
 * screened: titles, breadcrumb, names of files and the page's own path, or its address, as well.
 */
export function screen({ title, breadcrumb, blocks, page }: Screened, path = ""): readonly Finding[] {
  const examples = blocks.filter((block) => block.type === "code");
  const codes = examples.flatMap((example): readonly ExtractedCode[] => example.codes);
  const names = codes.flatMap(({ file = "", label = "", marks = [] }) => [file, label, ...marks]);
  const said = examples.flatMap((example) => [example.title, example.description]);
  const prose = blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : []));
  const headings = new Set([readablePath(path), ...breadcrumb, page?.title ?? "", title, ...names]);
  // Joined: a template would make a rope, which is slow to read character by character.
  const text = [...headings, ...prose].join("\n\n");
  const found = new Set(screenText(text));
  // What explains code repeats what the prose says, but not in an import.
  const more = said.filter((one) => !text.includes(one));
  if (more.length > 0) for (const reason of screenText(more.join("\n\n"))) found.add(reason);
  for (const { code } of codes) for (const reason of screenCode(code)) found.add(reason);
  return [...found];
}

/** A path or an address as people read it. */
export function readablePath(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** The reasons to take a text for an order to an agent. `addressed`: that it is for agents is known. */
export function screenText(text: string, { addressed = false } = {}): readonly Finding[] {
  const known: readonly Hit[] = addressed ? [{ at: everywhere, reason: "addressed_to_agents", weight: 2 }] : [];
  const found = judge([...known, ...findSigns(text)]);
  if (hidesText(text)) return ["hidden_characters", ...found];
  return found.length > 0 ? found : screenEncoded(text, known);
}

/** What code says to its reader is screened, as the rest of it is full of prompts that are data; and what it sends. */
function screenCode(code: string): readonly Finding[] {
  if (hidesText(code)) return ["hidden_characters"];
  const sent: readonly Hit[] = sendsSecrets(code) ? [{ at: everywhere, reason: "sends_secrets", weight: limit }] : [];
  const found = judge([...sent, ...findSigns(commentsOf(code)).map(heavier)]);
  return found.length > 0 ? found : screenEncoded(code, []);
}

/** Comments are for people: who calls an agent there has something in mind. */
function heavier(hit: Hit): Hit {
  return hit.reason === "addressed_to_agents" ? { ...hit, weight: hit.weight * 2 } : hit;
}

/** The reasons to take what is encoded in a text for an order. */
function screenEncoded(text: string, known: readonly Hit[]): readonly Finding[] {
  for (const decoded of decodedTexts(text)) {
    const reasons = judge([...known, { at: everywhere, reason: "encoded", weight: 2 }, ...findSigns(decoded)]);
    if (reasons.length > 0) return reasons;
  }
  return [];
}

/** Tag characters behind a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

/** Tag characters, supplementary variation selectors, zero-width characters in rows, and bidirectional overrides. */
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;

/** Whatever hides text has one of these; the first is half of every tag character and supplementary variation selector. */
const suspicious = /[\uDB40\u200B\u202D\u202E\u2060-\u2064]/;

/** True for a text that has another one which readers do not see, and agents do. */
function hidesText(text: string): boolean {
  return suspicious.test(text) && hiddenText.test(text.replace(flagEmoji, ""));
}
