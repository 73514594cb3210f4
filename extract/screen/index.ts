import type { Finding, PassageBlock } from "../../domain/passage.ts";
import type { ExtractedBlock, ExtractedCode } from "../page.ts";
import { commentsOf } from "./comments.ts";
import { decodedTexts } from "./encoded.ts";
import type { Notations } from "./encoded.ts";
import { findSigns } from "./find.ts";
import { hidesText } from "./invisible.ts";
import { everywhere, judge } from "./judge.ts";
import type { Hit } from "./judge.ts";

/** What is screened of a passage, and the title of its page if that is known. */
export interface Screened {
  readonly title: string;
  readonly breadcrumb: readonly string[];
  readonly blocks: readonly (PassageBlock | ExtractedBlock)[];
  readonly page?: { readonly title: string };
}

/** How much signs count in code, which is full of prompts that are data. */
const inCode = 0.5;

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
  const found = new Set(screenText([...headings, ...prose].join("\n\n")));
  // These repeat what the prose says, but not in an import.
  for (const reason of screenText(said.join("\n\n"))) found.add(reason);
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
  const { hits, notations } = findSigns(text, { all: addressed });
  const found = judge([...known, ...hits]);
  if (hidesText(text)) return ["hidden_characters", ...found];
  return found.length > 0 ? found : screenEncoded(text, notations, known);
}

function screenCode(code: string): readonly Finding[] {
  if (hidesText(code)) return ["hidden_characters"];
  const { hits, notations } = findSigns(code, { factor: inCode });
  const found = hits.length === 0 ? [] : judge([...hits, ...hitsInComments(code)]);
  return found.length > 0 ? found : screenEncoded(code, notations, []);
}

/** What is said in comments is said to the reader. */
function hitsInComments(code: string): readonly Hit[] {
  const comments = commentsOf(code);
  const scale = code.length / Math.max(1, comments.length);
  return findSigns(comments, { all: true }).hits.map((hit) => ({ ...hit, at: hit.at * scale }));
}

/** The reasons to take what is encoded in a text for an order. */
function screenEncoded(text: string, notations: Notations, known: readonly Hit[]): readonly Finding[] {
  const encoded: Hit = { at: everywhere, reason: "encoded", weight: 1 };
  for (const decoded of decodedTexts(text, notations)) {
    const reasons = judge([...known, encoded, ...findSigns(decoded, { all: true }).hits]);
    if (reasons.length > 0) return reasons;
  }
  return [];
}
