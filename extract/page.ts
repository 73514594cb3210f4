import type { SkipCode } from "../domain/skip-codes.ts";
import type { CodeBlock, Finding, Passage, ExampleBlock, ProseBlock } from "../domain/passage.ts";
import type { IncludableFiles } from "./includes/index.ts";
import type { LeftOut, Lines, Stretch } from "./blocks.ts";

/** A page to extract from. */
export interface PageInput {
  /** Its key: the path in a tree, with forward slashes, or its address. */
  readonly path: string;
  /** Selects the format. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** CSS selectors of elements that are not content; for HTML only. */
  readonly exclude?: readonly string[];
  /** The files it includes, by path in the tree; see extract/includes/. */
  readonly files?: IncludableFiles;
  /** Its address, to resolve relative links of HTML. */
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

/** A passage without revision and address, reusable at another revision. */
export interface ExtractedPassage extends Pick<Passage, "title" | "breadcrumb"> {
  readonly blocks: readonly ExtractedBlock[];
  /** The fragment of its heading: "" without, absent if derived from the heading's text. */
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
      /** Sentences that may describe the library, "" without: of the metadata, or of the first prose. */
      readonly description: string;
      /** Its subject in a few words; absent if its path says it. */
      readonly subject?: string;
      /** Its name for the library, "" without; only of a README. */
      readonly name?: string;
      /** The page says that it was generated from another file. */
      readonly generated: boolean;
      readonly passages: readonly ExtractedPassage[];
      /** Code that is left out on purpose. */
      readonly leftOut: readonly LeftOut[];
      /** Numbers of elements of HTML with words that are not served, by reason; absent: none. */
      readonly dropped?: Readonly<Record<string, number>>;
    }
  | { readonly outcome: "skipped"; readonly code: SkipCode; readonly reason: string }
) & {
  /** Sentences about missing parts, such as included files. */
  readonly notes?: readonly string[];
};
