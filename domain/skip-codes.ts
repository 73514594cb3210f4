/** Why a page is left out, by the code in its outcome. docs/reference/files-and-pages.md has the same table. */
export const skipCodes = {
  empty: "No text, or nothing that is shown.",
  no_snippets: "Neither code nor prose worth serving.",
  not_documentation: "A licence, change log, guide for translators, release announcement, generated stub or index.",
  draft: "Unpublished by its front matter.",
  too_large: "More than MAX_PAGE_BYTES or 2,000,000 lines, or nested too deeply.",
  not_text: "Binary, or more than a tenth invalid characters; with less, only the corrupt code blocks are left out.",
  unreadable: "A PDF, Word or PowerPoint file that is encrypted or damaged.",
  lfs_pointer: "A Git LFS pointer: the content is not in the repository.",
  symlink: "A symbolic link; its target is read at its own path.",
  submodule: "A submodule: submit that repository.",
  unsafe_path: "Path traversal, a duplicate path, control characters, more than 32 folders deep or 500 characters.",
  invalid_description: "An API description that cannot be read.",
  settings_ignored: "A context7.json with ignored entries.",
  other_host: "Listed by an llms.txt on another host; otherHosts includes it.",
  restricted: "It has read restrictions.",
  refused: "The credential's account may not read it.",
  robots: "Refused by robots.txt, or by the page itself.",
  gone: "Nothing at the address: 404, 410, or an error page with status 200. `from` names the linking page.",
  elsewhere: "Another address, a copy of a page that is read, or outside of the site.",
} as const;

/** Why a page is left out. */
export type SkipCode = keyof typeof skipCodes;
