/** What one page may include. What is beyond is left out, and a note on the page says so. */
export const includeLimits = {
  /** Files looked at for one page, those that included files include among them. */
  files: 500,
  /** Files that include one another. */
  depth: 5,
  /** One file, in bytes. */
  fileBytes: 1_000_000,
  /** All files of a page, in bytes. */
  bytes: 8_000_000,
  /** Lines that are put into a page. */
  lines: 100_000,
  /** Characters that are put into a page. */
  characters: 4_000_000,
  /** Characters of the files in which parts are looked for, each time counted again. */
  searched: 32_000_000,
  /** Times that something is included. */
  times: 1000,
} as const;
