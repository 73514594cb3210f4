import type { CodeBlockFound, LeftOutReason } from "./blocks.ts";
import type { TextSample } from "./text-sample.ts";

const licence = /^(?:the )?(?:mit |apache |bsd )?licen[cs]e$/i;
const changelog = /^(?:change ?-?log|release notes|version history|release history)$/i;
const readmeLicence =
  /^(?:licen[cs]es|licensing|(?:copyright )?(?:and|&) licen[cs]e|copyright|licen[cs]e (?:&|and) .{1,40})$/i;
const readmeChanges = /^(?:changes|history|releases|what(?:'|’)?s new|news)$/i;
const people =
  /^(?:(?:our |the |all |top |core )?(?:contributors|authors?|maintainers?|sponsors?|backers|supporters|team|stargazers)|sponsors? (?:and|&) backers|backers (?:and|&) sponsors|authors? (?:and|&) .{1,30}|credits?|acknowledge?ments?|(?:special )?thanks(?: to)?|support (?:us|the project|me)|donat(?:e|ions?)|star history|stargazers over time|sponsoring|sponsorship|code of conduct|our sponsors)$/i;

/**
 * Why what stands under a heading is left out, undefined if it is documentation: by the heading, and by a sample of the text. A README
 * ends in sections whose headings mean something else on a page of documentation.
 */
export function reasonToLeaveOut(
  heading: string,
  readme: boolean,
  sample: () => TextSample,
): LeftOutReason | undefined {
  if (heading.length > 60) return undefined;
  const words = heading.replace(/^[^\p{L}]+|(?<![^\p{L}])[^\p{L}]+$/gu, "");
  if (licence.test(words) || (readme && readmeLicence.test(words))) return isLicence(sample()) ? "licence" : undefined;
  if (changelog.test(words) || (readme && readmeChanges.test(words)))
    return isChangelog(sample()) ? "changelog" : undefined;
  // A library about people shows them in code.
  return readme && people.test(words) && sample().programs === 0 ? "people" : undefined;
}

const changelogFile = /^(?:CHANGE-?LOGS?|CHANGES|HISTORY|NEWS|RELEASES|RELEASE[-_]?NOTES)(?:[-_.]v?\d[\w.-]*)?$/;
const licenceFile = /^(?:LICEN[CS]ES?|COPYING|THIRD[-_]?PARTY[-_]?NOTICES?)(?:[-_.]\w+)?$/i;

/**
 * Why a whole page is left out, undefined if it is documentation: its title, or its file's name in capitals, gives reason to sample its
 * text.
 */
export function reasonToLeaveOutPage(path: string, title: string, sample: () => TextSample): LeftOutReason | undefined {
  const stem = (path.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "");
  if (licenceFile.test(stem)) return isLicence(sample()) ? "licence" : undefined;
  if (changelogFile.test(stem)) return isChangelog(sample()) ? "changelog" : undefined;
  if (changelogFile.test(stem.toUpperCase()) && hasChanges(sample())) return "changelog";
  return reasonToLeaveOut(title, false, sample);
}

/** Maximum length of a text that only points to where something is, such as a licence, in characters. */
const maxPointer = 400;

const licenceKeys =
  /\blicen[cs]e[ -](?:keys?|tokens?|servers?|files? (?:is|are) (?:read|loaded)|activations?|codes?|checks?)\b|\bactivat(?:e|es|ed|ion)\b|\bsubscriptions?\b|\btrials?\b|\bseats?\b/gi;
const legal =
  /\blicen[cs]ed\b|\b(?:MIT|Apache|BSD|[AL]?GPL|ISC|MPL|Unlicense|CC[ -]BY|EPL|EUPL|WTFPL)\b|\bcopyright\b|©|\(c\)|\bpermission is hereby granted\b|\ball rights reserved\b|\bwithout warranty\b|\bpublic domain\b|\bcreative commons\b|\bSPDX\b|\b(?:see|in) (?:the )?[`"[]{0,2}licen[cs]e\b|\bfree software\b/gi;

/** True for terms of use, or a pointer to them; false for text about licence keys, or licences as a subject. */
function isLicence({ text, headings, programs }: TextSample): boolean {
  if (programs > 0) return false;
  const keys = text.match(licenceKeys)?.length ?? 0;
  const terms = text.match(legal)?.length ?? 0;
  return keys > 0 ? terms > keys : terms > 0 || (text.length < maxPointer && headings.length === 0);
}

const version =
  /^\W{0,4}(?:version |release )?v?\.?\d{1,5}\.\d{1,5}|^\W{0,3}unreleased\b|^\W{0,3}(?:19|20)\d\d[-./ ]\d|[\s@v(]\d{1,5}\.\d{1,5}\.\d/i;
const kindOfChange =
  /^\W{0,4}(?:added|changed|fix(?:ed|es)?|removed|deprecated|deprecations|security|bug ?fixes|features?|breaking|improvements?|improved|performance|patch|minor|major|chores?|docs|documentation|dependencies|enhancements?|new|other|miscellaneous|merged|commits?|pull requests|updated?s?|contributors|reverts?|upgrades?|tests?|build|internal|highlights|what(?:'|’)s)\b/i;
const versionLine = /^\s{0,8}(?:[-*+]\s{1,3})?[*_`[]{0,3}v?\d{1,5}\.\d{1,5}\b/i;

const keptChangelog = /\ball notable changes\b|\bkeep ?a ?changelog\b/i;
const workItem =
  /#\d{1,7}\b|\/(?:pull|issues|commit|compare)\/|^\s{0,8}[-*+] (?:fix|feat|chore|docs|refactor|perf)(?:\([\w-]{1,40}\))?!?:/;

/** A heading that says nothing of what stands under it. */
const changelogTitle =
  /^\W{0,4}(?:change ?-?logs?|changes|history|news|releases|(?:release|version) (?:notes|history))\W{0,4}$/i;

/** True for entries by version or date. */
function hasChanges({ text, headings: all }: TextSample): boolean {
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

/** True for a change log, or a pointer to one. */
function isChangelog(sample: TextSample): boolean {
  const { text, headings, codes } = sample;
  return hasChanges(sample) || (headings.length === 0 && codes === 0 && text.length < maxPointer);
}

/** True for a drawing of folders and files, which is to be read and not to be run. */
export function isTree({ code }: Pick<CodeBlockFound, "code">): boolean {
  if (!code.includes("├") && !code.includes("└")) return false;
  const lines = code.split("\n").filter((line) => line.trim() !== "");
  const drawn = lines.filter((line) => /^[\s│|]*[├└]/.test(line)).length;
  return drawn >= 2 && drawn * 2 >= lines.length;
}
