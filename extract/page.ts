import type { SkipCode } from "../domain/skip-codes.ts";
import type { CodeBlock, Finding, Passage, ExampleBlock, ProseBlock } from "../domain/passage.ts";
import type { IncludableFiles } from "./includes/index.ts";
import type { LeftOut, Lines, Stretch } from "./blocks.ts";

/** A page to extract from. */
export interface PageInput {
  /** Its key: the path in a tree, with forward slashes, or its address. */
  readonly path: string;
  /** Chooses the format. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** CSS selectors of elements that are not content; for HTML only. */
  readonly exclude?: readonly string[];
  /** The files that it includes, by their path in the tree; see extract/includes/. */
  readonly files?: IncludableFiles;
  /** Its address, for the relative links of HTML. */
  readonly url?: string;
}

/** A block of code before its address is known. */
export interface ExtractedCode extends Omit<CodeBlock, "sources"> {
  readonly sources?: readonly Stretch[];
}

/** Code of a passage before its address is known. */
export interface ExtractedExample extends Omit<ExampleBlock, "codes" | "url" | "lines"> {
  readonly codes: readonly ExtractedCode[];
  /** First and last line in the file, from 1, both included. */
  readonly lines: Lines;
}

/** A block of a passage before its address is known. */
export type ExtractedBlock = ProseBlock | ExtractedExample;

/** A passage without revision and address, so that it can be used again at another revision. */
export interface ExtractedPassage extends Pick<Passage, "title" | "breadcrumb"> {
  readonly blocks: readonly ExtractedBlock[];
  /** The fragment of its heading, "" where the page has none; absent where it is made of the heading's text. */
  readonly fragment?: string;
  /** First and last line in the file, from 1, both included. */
  readonly lines: Lines;
  /** Findings of the screen; absent without any. */
  readonly findings?: readonly Finding[];
}

/** The result of extracting a page. A pure function of the input and the extractor version. */
export type PageResult = (
  | {
      readonly outcome: "indexed";
      readonly title: string;
      /** First paragraph of prose, which may describe the page or the library. */
      readonly description: string;
      /** What it is about in a few words; absent where its path says that. */
      readonly subject?: string;
      /** Its name for the library, "" without; only of a README. */
      readonly name?: string;
      /** The page says that it was made of another file. */
      readonly generated: boolean;
      readonly passages: readonly ExtractedPassage[];
      /** Code of the page that is left out on purpose. */
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly outcome: "skipped"; readonly code: SkipCode; readonly reason: string }
) & {
  /** Sentences about what is missing of the page, such as included files. */
  readonly notes?: readonly string[];
};
