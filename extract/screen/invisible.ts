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

/** Minimum length of Base64 that is decoded, and how much of it is, in characters. */
const minEncodedLength = 60;
const maxEncodedLength = 4000;

/** The texts that a text has in Base64. */
export function encodedTexts(text: string): readonly string[] {
  return encodedRuns(text)
    .map((run) => Buffer.from(run.slice(0, maxEncodedLength), "base64").toString("utf8"))
    .filter((decoded) => /^[\t\n\r -~]+$/.test(decoded.slice(0, 40)));
}

/** Runs of the letters of base64 that are long enough. Looks at every sixtieth character first, as most texts have none. */
function encodedRuns(text: string): readonly string[] {
  const runs: string[] = [];
  let last = minEncodedLength - 1;
  while (last < text.length) {
    let start = last + 1;
    while (start > 0 && isBase64(text.charCodeAt(start - 1))) start--;
    if (last - start + 1 < minEncodedLength) {
      last = start + minEncodedLength - 1;
      continue;
    }
    let end = last + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    runs.push(text.slice(start, end));
    last = end + minEncodedLength;
  }
  return runs;
}

function isBase64(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43;
}
