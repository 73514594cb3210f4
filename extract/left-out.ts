import type { CodeBlockFound, LeftOutReason } from "./blocks.ts";
import { hasChanges, isAboutPeople, isChangelog, isLicence } from "./said.ts";
import type { Said } from "./said.ts";

const licence = /^(?:the )?(?:mit |apache |bsd )?licen[cs]e$/i;
const changelog = /^(?:change ?-?log|release notes|version history|release history)$/i;
const readmeLicence =
  /^(?:licen[cs]es|licensing|(?:copyright )?(?:and|&) licen[cs]e|copyright|licen[cs]e (?:&|and) .{1,40})$/i;
const readmeChanges = /^(?:changes|history|releases|what(?:'|’)?s new|news)$/i;
const people =
  /^(?:(?:our |the |all |top |core )?(?:contributors|authors?|maintainers?|sponsors?|backers|supporters|team|stargazers)|sponsors? (?:and|&) backers|backers (?:and|&) sponsors|authors? (?:and|&) .{1,30}|credits?|acknowledge?ments?|(?:special )?thanks(?: to)?|support (?:us|the project|me)|donat(?:e|ions?)|star history|stargazers over time|sponsoring|sponsorship|code of conduct|our sponsors)$/i;

/**
 * Why what stands under a heading is no documentation, undefined where it is: by the heading, and by what is said there. A README
 * ends in sections that a page of documentation has another meaning for.
 */
export function reasonToLeaveOut(heading: string, readme: boolean, said: () => Said): LeftOutReason | undefined {
  if (heading.length > 60) return undefined;
  const words = heading.replace(/^[^\p{L}]+|(?<![^\p{L}])[^\p{L}]+$/gu, "");
  if (licence.test(words) || (readme && readmeLicence.test(words))) return isLicence(said()) ? "licence" : undefined;
  if (changelog.test(words) || (readme && readmeChanges.test(words)))
    return isChangelog(said()) ? "changelog" : undefined;
  return readme && people.test(words) && isAboutPeople(said()) ? "people" : undefined;
}

const changelogFile = /^(?:CHANGE-?LOGS?|CHANGES|HISTORY|NEWS|RELEASES|RELEASE[-_]?NOTES)(?:[-_.]v?\d[\w.-]*)?$/;
const licenceFile = /^(?:LICEN[CS]ES?|COPYING|THIRD[-_]?PARTY[-_]?NOTICES?)(?:[-_.]\w+)?$/i;

/**
 * Why a whole page is no documentation, by what it says where its title or its file's name, in capitals, gives reason to ask;
 * undefined where it is.
 */
export function reasonToLeaveOutPage(path: string, title: string, said: () => Said): LeftOutReason | undefined {
  const stem = (path.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "");
  if (licenceFile.test(stem)) return isLicence(said()) ? "licence" : undefined;
  if (changelogFile.test(stem)) return isChangelog(said()) ? "changelog" : undefined;
  if (changelogFile.test(stem.toUpperCase()) && hasChanges(said())) return "changelog";
  return reasonToLeaveOut(title, false, said);
}

/** True for a drawing of folders and files, which is to be read and not to be run. */
export function isTree({ code }: Pick<CodeBlockFound, "code">): boolean {
  if (!code.includes("├") && !code.includes("└")) return false;
  const lines = code.split("\n").filter((line) => line.trim() !== "");
  const drawn = lines.filter((line) => /^[\s│|]*[├└]/.test(line)).length;
  return drawn >= 2 && drawn * 2 >= lines.length;
}

/** Code as part of prose, in a fence that is longer than any in it. */
export function fenced({ code, language }: CodeBlockFound): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}
