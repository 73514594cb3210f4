/** A file name: no blanks, and an ending that begins with a letter, or one of the well-known names without one. */
const fileName =
  /^\/?(?:[\w@.~()[\]$*+-]{1,100}[\\/]){0,20}(?:[\w@()[\]$*+-][\w@.()[\]$*+-]{0,100}\.[a-z][a-z0-9]{0,9}|Dockerfile|Makefile|Gemfile|Procfile|\.[a-z][\w.-]{0,40})$/i;
/** Names of products and of members that read like a file's. */
const notAFile =
  /^(?:next|node|vue|nuxt|express|react|three|socket|d3|chart|alpine)\.js$|^(?:\d+\.)+\w+$|^(?:e\.g|i\.e)$/i;

/** True for a word that reads as the name of a file, with or without folders. */
export function isFileName(word: string): boolean {
  return word.length <= 200 && fileName.test(word) && !notAFile.test(word);
}
