/** A file name: no blanks, and an extension that begins with a letter, or a well-known name without one. */
const fileName =
  /^\/?(?:[\w@.~()[\]$*+-]{1,100}[\\/]){0,20}(?:[\w@()[\]$*+-][\w@.()[\]$*+-]{0,100}\.[a-z][a-z0-9]{0,9}|Dockerfile|Makefile|Gemfile|Procfile|\.[a-z][\w.-]{0,40})$/i;
/** Products and members whose names look like file names. */
const notAFile =
  /^(?:next|node|vue|nuxt|express|react|three|socket|d3|chart|alpine)\.js$|^(?:\d+\.)+\w+$|^(?:e\.g|i\.e)$/i;

/** True for a word that looks like a file name, with or without folders. */
export function isFileName(word: string): boolean {
  return word.length <= 200 && fileName.test(word) && !notAFile.test(word);
}
