/** Changes whenever the same input may give another result, so that kept results are not used again. */
export const extractorVersion = "3";

/** Endings of the paths that are pages, lower-case, with their dot; index.ts says how each is read. */
export const extensions = [".md", ".markdown", ".mdx", ".txt"] as const;
