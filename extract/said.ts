import type { Block } from "./blocks.ts";

/** A sample of what stands under a heading, or on a page: enough to tell what kind of text it is. */
export interface Said {
  /** Prose, and what stands in fences that name no language. */
  readonly text: string;
  /** Headings below the one that it is about. */
  readonly headings: readonly string[];
  /** Blocks of code, and those among them that are in a language. */
  readonly codes: number;
  readonly programs: number;
}

const maxBlocks = 60;
const maxText = 6000;
const noProgram = /^(?:|te?xt|plain(?:text)?|none|markdown|md)$/;

/** Takes a sample of the blocks from `from` on, up to the next heading that is not below `level`. */
export function sample(blocks: readonly Block[], from: number, level: number): Said {
  const headings: string[] = [];
  let text = "";
  let codes = 0;
  let programs = 0;
  for (const block of blocks.slice(from, from + maxBlocks)) {
    if (text.length > maxText || (block.type === "heading" && block.level <= level)) break;
    if (block.type === "heading") headings.push(block.text);
    else if (block.type !== "code") text += `${block.markdown}\n\n`;
    else {
      codes++;
      if (noProgram.test(block.language)) text += `${block.code}\n\n`;
      else programs++;
    }
  }
  return { text: text.slice(0, maxText).trim(), headings, codes, programs };
}

/** Text that is no longer says where something is, such as a licence, and little of its own. */
const pointer = 400;

const licenceKeys =
  /\blicen[cs]e[ -](?:keys?|tokens?|servers?|files? (?:is|are) (?:read|loaded)|activations?|codes?|checks?)\b|\bactivat(?:e|es|ed|ion)\b|\bsubscriptions?\b|\btrials?\b|\bseats?\b/gi;
const legal =
  /\blicen[cs]ed\b|\b(?:MIT|Apache|BSD|[AL]?GPL|ISC|MPL|Unlicense|CC[ -]BY|EPL|EUPL|WTFPL)\b|\bcopyright\b|©|\(c\)|\bpermission is hereby granted\b|\ball rights reserved\b|\bwithout warranty\b|\bpublic domain\b|\bcreative commons\b|\bSPDX\b|\b(?:see|in) (?:the )?[`"[]{0,2}licen[cs]e\b|\bfree software\b/gi;

/** True for terms of use, or where they stand; false for what is said of keys, and of licences as a subject. */
export function isLicence({ text, headings, programs }: Said): boolean {
  if (programs > 0) return false;
  const keys = text.match(licenceKeys)?.length ?? 0;
  const terms = text.match(legal)?.length ?? 0;
  return keys > 0 ? terms > keys : terms > 0 || (text.length < pointer && headings.length === 0);
}

const version =
  /^\W{0,4}(?:version |release )?v?\.?\d{1,5}\.\d{1,5}|^\W{0,3}unreleased\b|^\W{0,3}(?:19|20)\d\d[-./ ]\d|[\s@v(]\d{1,5}\.\d{1,5}\.\d/i;
const kindOfChange =
  /^\W{0,4}(?:added|changed|fix(?:ed|es)?|removed|deprecated|deprecations|security|bug ?fixes|features?|breaking|improvements?|improved|performance|patch|minor|major|chores?|docs|documentation|dependencies|enhancements?|new|other|miscellaneous|merged|commits?|pull requests|updated?s?|contributors|reverts?|upgrades?|tests?|build|internal|highlights|what(?:'|’)s)\b/i;
const versionLine = /^\s{0,8}(?:[-*+]\s{1,3})?[*_`[]{0,3}v?\d{1,5}\.\d{1,5}\b/i;

const keptChangelog = /\ball notable changes\b|\bkeep ?a ?changelog\b/i;
const workItem =
  /#\d{1,7}\b|\/(?:pull|issues|commit|compare)\/|^\s{0,8}[-*+] (?:fix|feat|chore|docs|refactor|perf)(?:\([\w-]{1,40}\))?!?:/;

/** What a page of them is called, which says nothing of it. */
const changelogTitle =
  /^\W{0,4}(?:change ?-?logs?|changes|history|news|releases|(?:release|version) (?:notes|history))\W{0,4}$/i;

/** True for entries by versions or dates. */
export function hasChanges({ text, headings: all }: Said): boolean {
  const headings = all.filter((heading) => !changelogTitle.test(heading));
  const versions = headings.filter((heading) => version.test(heading)).length;
  const others = headings.filter((heading) => !version.test(heading) && !kindOfChange.test(heading)).length;
  if (keptChangelog.test(text)) return versions > 0 || others === 0;
  if (versions > 0) return versions >= others;
  if (headings.length > 0) return others === 0;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.filter((line) => versionLine.test(line)).length;
  const items = lines.filter((line) => workItem.test(line)).length;
  return (entries > 1 && entries * 4 >= lines.length) || (items > 1 && items * 2 >= lines.length);
}

/** True for a change log, or where it stands. */
export function isChangelog(said: Said): boolean {
  const { text, headings, codes } = said;
  return hasChanges(said) || (headings.length === 0 && codes === 0 && text.length < pointer);
}

/** True for who made it or pays for it; a library about people shows them in code. */
export function isAboutPeople({ programs }: Said): boolean {
  return programs === 0;
}
