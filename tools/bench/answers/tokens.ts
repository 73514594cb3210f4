import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Tokens of a text in the o200k encoding. What looks like a mark of a conversation is read as the text that it is. */
export function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
