/** What differs between two sightings of the same error: addresses, hashes, paths, places in files, counts. */
const variables: readonly RegExp[] = [
  /\b[a-z][a-z+.-]{1,15}:\/\/[^\s"'`<>)]{1,500}/gi,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b0x[0-9a-f]+\b/gi,
  // A hash has both digits and letters.
  /\b(?=[a-f]{0,64}[0-9])(?=[0-9]{0,64}[a-f])[0-9a-f]{8,64}\b/gi,
  // Absolute paths of three parts or more, of files rather than of routes.
  /(?:\b[a-z]:\\|(?<![\w.])~?\/)(?:[\w@.+-]{1,100}[\\/]){2,40}[\w@.+-]{0,100}(?::\d+){0,2}/gi,
  // Quoted paths of files, however short. No quote is one inside a word, such as that of "can't".
  /(?<!\w)(["'`])(?=[^"'`\n\\/]{0,200}[\\/])[^"'`\n]{1,300}\.[a-z]\w{0,5}(?::\d+){0,2}\1(?!\w)/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /(?<=\w):\d+(?::\d+)?\b/g,
  /\b\d{4,}\b/g,
];

/** The text without what differs between two sightings of the same error; itself where no word would be left. */
export function withoutVariables(text: string): string {
  const stable = variables.reduce((rest, variable) => rest.replace(variable, " "), text);
  return /\p{L}{2}/u.test(stable) ? stable : text;
}
