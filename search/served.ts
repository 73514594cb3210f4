import { codesOf } from "../domain/passage.ts";
import type { Passage } from "../domain/passage.ts";

/** The passage with the library's language in code blocks that name none; unchanged if that language is "". */
export function withLanguage(passage: Passage, language: string): Passage {
  if (language === "" || codesOf(passage).every((code) => code.language !== "")) return passage;
  const blocks = passage.blocks.map((block) =>
    block.type === "prose"
      ? block
      : { ...block, codes: block.codes.map((code) => (code.language === "" ? { ...code, language } : code)) },
  );
  return { ...passage, blocks };
}
