/**
 * Letters that look like a small letter of ASCII, or like its capital: those of confusables.txt of Unicode 17.0 (UTS #39)
 * that are single letters of the scripts Latin, Greek, Cyrillic, Armenian, Coptic, Cherokee and Lisu, and that
 * compatibility decomposition leaves alone; with the other small capitals, and c with a hook.
 */
const lookAlikes = {
  a: "ɑαаᎪꓮᴀ",
  b: "ƄЬᏏꞴΒⲂВᏴꓐɓƃБƀҍѣʙ",
  c: "ᴄⲥсꮯꓚȼҫƈ",
  d: "ԁᏧꓒᎠꓓɗɖƌđÐᴅ",
  e: "ꬲеҽΕᎬꓰɇҿᴇ",
  f: "ꬵꞙƒẝքϜꓝᵮꜰ",
  g: "ɡᶃƍցԌᏀᏳꓖɠǥɢ",
  h: "һհᏂΗⲎНᎻꓧɦꚕᏲⱧҢħћӉӇʜ",
  i: "ıɪɩιⲓіꙇւꭵɨᵻᵼӀ",
  j: "ϳјꞲᎫꓙɉᴊ",
  k: "ΚⲔКᏦꓗƙⱩҚꝀҞᴋ",
  l: "ǀӏꓲⳐᏞꓡłɭƚɫʟ",
  m: "ΜϺⲘМᎷꓟӍᴍ",
  n: "ոռΝⲚꓠɳƞŋηղƝᵰɴ",
  o: "ᴏᴑꬽοσⲟϭоօꓳøꬾɵꝋⲑөѳꮎꮻθꭴ",
  p: "þƿρϸⲣⳏрᏢꓑƥᵽᴘ",
  q: "ԛգզʠ",
  r: "ꭇꭈᴦⲅгꮁƦᎡᏒꓣɽɼɍғᵲʀ",
  s: "ꜱƽѕꮪՏᏕꓢʂᵴ",
  t: "ΤⲦТᎢꓔƭȾƮҬŧᵵᴛ",
  u: "ꞟᴜꭎꭒʋυսꓴџᵾꮜɄ",
  v: "ᴠνѵꮩꓦ",
  w: "ɯᴡⲽѡшԝաꮃᏔꓪѽꝡ",
  x: "хꞳΧⲬꓫҲ",
  y: "ɣᶌʏỿꭚγⲩуүΥᎩᎽꓬƴɏұ",
  z: "ᴢꮓΖꓜʐƶȥᵶ",
} as const;

/** What a letter looks like. Capitals that look like another letter than their small ones have entries of their own. */
const plain: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);

/**
 * A word as it looks in letters of ASCII, in lower case; undefined where it has letters that look like none, so that words of
 * other languages stay what they are.
 */
export function asItLooks(word: string): string | undefined {
  let seen = "";
  for (const letter of word) {
    const small = letter.toLowerCase();
    const looks = plain.get(letter) ?? plain.get(small) ?? small;
    if (!/^[a-z0-9]$/.test(looks)) return undefined;
    seen += looks;
  }
  return seen;
}
