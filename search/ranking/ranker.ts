import type { Ranker } from "../../domain/ports.ts";
import { analyserVersion } from "./analyse-text.ts";
import { explain } from "./explain.ts";
import { fitOfAnswer, rankByContent } from "./library-content.ts";
import { claimFor, fitsName, isNamed, namedIn, rankLibraries } from "./libraries.ts";
import { meaningOf, meaningOfPage, similarity, withEmbedding } from "./meaning.ts";
import { missingWords } from "./missing-words.ts";
import { analyseQuestion } from "./analyse-question.ts";
import { rank, rankerVersion } from "./rank.ts";

/** The ranker, the same for every index. */
export const ranker: Ranker = {
  version: `${rankerVersion}.${analyserVersion}`,
  analyseQuestion,
  withEmbedding,
  meaningOfPage,
  likeness: ({ meaning }, other) => similarity(meaning, typeof other === "string" ? meaningOf(other) : other),
  rank,
  explain,
  missing: missingWords,
  isNamed,
  fitsName,
  namedIn,
  rankLibraries,
  rankByContent,
  fitOfAnswer,
  claimFor,
};
