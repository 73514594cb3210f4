import { describe, expect, it } from "vitest";
import { extract } from "./extract.ts";

/** What a README says of its library. */
function descriptionIn(readme: string): string {
  const result = extract("README.md", `${readme}\n\n## Usage\n\nCall the gears and wait until they have turned.\n`);
  if (result.outcome === "skipped") throw new Error(result.reason);
  return result.description;
}

const definition = "Gears is a library that turns wheels.";
const badge = "[![build](https://img.shields.io/b.svg)](https://e.com)";

describe("a README describes its library", () => {
  it.each([
    ["by the tagline below its heading", `# Gears\n\nWheels that turn.\n\n${definition}`, "Wheels that turn."],
    ["by a tagline in a quote", "# Gears ⚙\n\n> Next *generation* [wheels](https://e.com)", "Next generation wheels"],
    ["by a tagline below badges", `# Gears\n\n${badge}\n\nWheels that turn.`, "Wheels that turn."],
    [
      "by a heading below the title",
      "# Gears\n\n### Wheels that turn at once\n\n## Install",
      "Wheels that turn at once",
    ],
    [
      "by a tagline in HTML",
      '<h1 align="center">Gears</h1>\n<p align="center">Wheels that turn.</p>\n',
      "Wheels that turn.",
    ],
    [
      "by the sentence that defines it",
      `# Gears\n\n${"Wheels have been turned by hand, which costs time that nobody has, and cannot be paid by those who need them. ".repeat(2)}\n\nSo there is Gears. ${definition} It is fast.`,
      `${definition} It is fast.`,
    ],
    [
      "by the sentence that leads to a list, too",
      `# Gears\n\nGears (as in *wheels*) is a new breed of machine that makes work easier. It has two parts:\n\n- one\n- two\n\nIn addition, Gears is highly extensible with plugins.`,
      "Gears (as in wheels) is a new breed of machine that makes work easier.",
    ],
    ["without a greeting", `# Gears\n\nWelcome to the home of Gears! ${definition}`, definition],
    ["up to a request", `# Gears\n\n${definition} Please star it.`, definition],
    ["below a notice", `# Gears\n\n> **Note**: Gears 2 is out now.\n\n${definition}`, definition],
    ["below the note that it moved", `# Gears\n\nGears has moved to another host.\n\n${definition}`, definition],
    [
      "below pictures",
      `# Gears\n\n![Gears at work](a.png)\n<img alt="More of them" src="b.png">\n\n${definition}`,
      definition,
    ],
    ["below its name again", `![The Gears](a.png)\n\n# The Gears\n\n**The Gears**\n\n${definition}`, definition],
    [
      "below a callout",
      `# Gears\n\n> [!IMPORTANT]\n> Use the branch \`next\` of the gears for now.\n\n${definition}`,
      definition,
    ],
    ["below its contents", `# Gears\n\n- [Install](#install)\n- [Use](#usage)\n\n${definition}`, definition],
    ["below links", `# Gears\n\n[Site](https://e.com) | [Docs](https://e.com/d)\n\n${definition}`, definition],
    ["in other scripts", "# 齿轮\n\n让轮子转动的工具库。", "让轮子转动的工具库。"],
    [
      "as this package, if there is nothing else",
      "# Gears\n\nThis package contains wheels.",
      "This package contains wheels.",
    ],
  ])("%s", (_, readme, description) => {
    expect(descriptionIn(readme)).toBe(description);
  });

  it.each([
    "In addition, gears are highly extensible with plugins.",
    "However, gears do not turn by themselves at all.",
    "This makes it faster than all of the others.",
    "It also turns wheels of other sizes at once.",
    "Therefore gears are used by many people every day.",
    "As mentioned, gears turn in one direction only.",
    "Please consider following this project's author, and star the project.",
    "Consider a donation to those who make the gears.",
    "Click on the image to see how gears turn.",
    "Star the repository if gears turn for you.",
    "Follow @gears for news about wheels of all sizes.",
    "Check out the gears of our friends in the north.",
    "Join our Discord to talk about gears and wheels.",
    "Read the documentation to learn how gears turn.",
    "See the website for more about gears and wheels.",
    "Gears 2 has moved to another repository for good.",
    "Installation: `npm install gears` and nothing more.",
    "Looking for the documentation of gears and wheels?",
  ])("never by a sentence that leans on another one, or asks for something: %s", (sentence) => {
    expect(descriptionIn(`# Gears\n\n${sentence}`)).toBe("");
    expect(descriptionIn(`# Gears\n\n${sentence}\n\n${definition}`)).toBe(definition);
  });

  it.each([
    "Read a file of wheels from the disk.",
    "Find the root of a tree of wheels.",
    "Higher-level negotiation of wheels.",
    "The next generation of wheels.",
    "Yet another library for wheels.",
    "Follow redirects of wheels.",
    "Walk and visit nodes of wheels.",
  ])("but verbs that say what it does are no requests: %s", (sentence) => {
    expect(descriptionIn(`# Gears\n\n${sentence}`)).toBe(sentence);
  });
});
