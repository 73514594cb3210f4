import { codesOf } from "../domain/passage.ts";
import type { Passage } from "../domain/passage.ts";

/** The passage as it is served: code blocks that name no language are in the library's. "" leaves them as they are. */
export function withLanguage(passage: Passage, language: string): Passage {
  if (language === "" || codesOf(passage).every((code) => code.language !== "")) return passage;
  const blocks = passage.blocks.map((block) =>
    block.type === "prose"
      ? block
      : { ...block, codes: block.codes.map((code) => (code.language === "" ? { ...code, language } : code)) },
  );
  return { ...passage, blocks };
}
