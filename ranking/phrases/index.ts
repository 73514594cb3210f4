import { data } from "./data.ts";
import { errors } from "./errors.ts";
import { general } from "./general.ts";
import { models } from "./models.ts";
import { network } from "./network.ts";
import { packages } from "./packages.ts";
import { pages } from "./pages.ts";
import { running } from "./running.ts";
import { security } from "./security.ts";
import { tests } from "./tests.ts";
import { timing } from "./timing.ts";
import { tools } from "./tools.ts";

/**
 * What people who ask say in several words, and behind `>` one to three words by which documentation has it, the likeliest
 * first: one meaning a line, `|` between phrases of one meaning, `*` for up to three words. Written subject by subject from
 * what documentation treats, not from questions that failed. A single word is not in it: too often it means just what it
 * says.
 */
export const phraseTables: readonly string[] = [
  general,
  running,
  errors,
  security,
  data,
  network,
  pages,
  tests,
  packages,
  models,
  tools,
  timing,
];
