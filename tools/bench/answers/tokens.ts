import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Tokens of a text in the o200k encoding. Special tokens count as plain text. */
export function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
