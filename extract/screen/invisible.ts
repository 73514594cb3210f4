/** Tag characters behind a black flag spell the flags of England, Scotland and Wales. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

/** Tag characters, supplementary variation selectors, zero-width characters in rows, and bidirectional overrides. */
const hiddenText = /[\u{E0020}-\u{E007E}]{3}|[\u{E0100}-\u{E01EF}]{4}|[\u200B\u2060-\u2064]{8}|[\u202D\u202E]/u;

/** Whatever hides text has one of these; the first is half of every tag character and supplementary variation selector. */
const suspicious = /[\uDB40\u200B\u202D\u202E\u2060-\u2064]/;

/** True for a text that has another one which readers do not see, and agents do. */
export function hidesText(text: string): boolean {
  return suspicious.test(text) && hiddenText.test(text.replace(flagEmoji, ""));
}
