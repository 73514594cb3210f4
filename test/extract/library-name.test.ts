import { describe, expect, it } from "vitest";
import { createFinisher, summarise } from "../../extract/finish.ts";
import { extract } from "./extract.ts";

const text = "It does one thing well enough for people to use it, and has words to say so.";

/** The name that the README gives its library. */
function nameIn(readme: string, path = "README.md"): string {
  const finisher = createFinisher({ folder: path.slice(0, Math.max(0, path.lastIndexOf("/"))) });
  const result = extract(path, `${readme}\n\n${text}\n`);
  if (result.outcome === "skipped") throw new Error(result.reason);
  finisher.take(summarise(path, result), new Uint8Array());
  return finisher.finish().title;
}

describe("a library is called what its README calls it", () => {
  it.each([
    ["a plain heading", "# Foo", "Foo"],
    ["a heading that is a link", "# [Foo](https://e.com)", "Foo"],
    ["a heading behind code in a line that begins with three backticks", "```js``` is a fence.\n\n# Foo", "Foo"],
    [
      "a row of links above the heading",
      '<h4 align="center">\n  <a href="https://e.com">Website</a> |\n  <a href="https://e.com/r">Roadmap</a>\n</h4>\n\n# Foo',
      "Foo",
    ],
    [
      "a small heading with badges above the heading",
      "###### Join the discussion\n[![chat](https://e.com/c.svg)](https://e.com)\n\n# Foo",
      "Foo",
    ],
    ["no more than a row of links", "### [Website](https://e.com) • [Roadmap](https://e.com/r)", ""],
    ["no more than a link below the first level", "### [Website](https://e.com)", ""],
    [
      "a logo above a row of links",
      '<img src="l.png" alt="Foo">\n\n#### [Site](https://e.com) | [Blog](https://e.com/b)',
      "Foo",
    ],
    ["underlined", "Foo Bar\n=======", "Foo Bar"],
    ["underlined, with blanks behind it", `---\ntitle: Other\n---\n\nFoo${" ".repeat(40)}\n===`, "Foo"],
    ["a heading below a rule", "---\n\n# Foo\n\nWords.\n\n---", "Foo"],
    ["front matter with Windows line ends", "---\r\ntitle: Foo\r\n---\r\n\r\n## Usage", "Foo"],
    [
      "a heading with badges",
      "# Foo · [![build](https://img.shields.io/b.svg)](https://e.com) [![npm](https://img.shields.io/n.svg)](https://e.com)",
      "Foo",
    ],
    ["a heading with a bare badge", "# Foo ![license](https://img.shields.io/l.svg)", "Foo"],
    ["emoji", "# 🚀 Foo :sparkles:", "Foo"],
    ["what it does, behind a dash", "# Foo – the fast thing", "Foo"],
    ["what it does, behind a hyphen", "# Foo.js - A fast thing for everybody", "Foo.js"],
    ["what it does, behind a colon", "# Foo: the fast thing", "Foo"],
    ["a hyphen in its name", "# foo-bar", "foo-bar"],
    ["a scope", "# @acme/foo", "@acme/foo"],
    ["as code", "# `foo-cli`", "foo-cli"],
    ["a link", "# [Foo](https://foo.example)", "Foo"],
    ["an entity and an anchor", "# Foo &amp; Bar {#foo}", "Foo & Bar"],
    ["a language with signs", "# C++ Foo", "C++ Foo"],
    ["its version", "# Foo v2.3.1", "Foo"],
    ["a logo as heading", "# ![Foo](logo.svg)", "Foo"],
    ["a logo as heading, called so", "# [![Foo logo](https://foo.example/logo.png)](https://foo.example)", "Foo"],
    ["HTML", '<h1 align="center">Foo</h1>', "Foo"],
    [
      "HTML with a logo",
      '<h1 align="center">\n  <a href="https://foo.example">\n    <img src="logo.svg" alt="Foo" width="200">\n  </a>\n  <br>\n</h1>',
      "Foo",
    ],
    ["HTML with a logo and words", '<h1><img src="logo.svg" alt="logo"> Foo Kit</h1>', "Foo Kit"],
    [
      "a logo above badges, and no heading",
      '<p align="center">\n  <img alt="Foo" src="logo.png">\n</p>\n\n[![ci](https://img.shields.io/a.svg)](https://e.com)\n\n## Install\n\nInstall it first.',
      "Foo",
    ],
    [
      "a logo above a heading that says nothing",
      '<img src="https://foo.example/foo.svg" alt="Foo Framework" />\n\n# Introduction',
      "Foo Framework",
    ],
    ["a welcome", "# Welcome to the Foo documentation!", "Foo"],
    ["a question", "# What is Foo?", "Foo"],
    ["a generic word beside it", "# Documentation | Foo", "Foo"],
    ["a heading below a comment", "<!-- # Not this -->\n\n# Foo", "Foo"],
    ["front matter", "---\ntitle: Foo\n---\n\n## Usage", "Foo"],
    ["a second-level heading at the top", "[![ci](https://img.shields.io/a.svg)](https://e.com)\n\n## Foo", "Foo"],
    ["a second-level heading above others", "## Foo\n\nSaid.\n\n# Contents\n\n# Usage", "Foo"],
    ["a signature", "# foo(options)", "foo"],
    ["words in other scripts", "# 富贵框架", "富贵框架"],
  ])("%s", (_, readme, name) => {
    expect(nameIn(readme)).toBe(name);
  });

  it.each([
    ["Introduction", "# Introduction"],
    ["Home", "# Home"],
    ["Documentation", "# Documentation"],
    ["Table of contents", "# Table of Contents\n\n# Foo"],
    ["a section", "## Installation\n\nInstall it."],
    ["README", "# README"],
    ["a sentence", "# The thing that everybody needs who has ever had to write programs for machines which are slow"],
    ["a slogan", "# How everybody turns gears"],
    ["news", "# Gears 3 is out"],
    ["praise", "# The fastest thing for programs"],
    ["badges", "# ![build](https://img.shields.io/a.svg) ![npm](https://img.shields.io/b.svg)"],
    ["a screenshot", "![Screenshot of the app](shot.png)\n\n## Usage"],
    ["code", "```sh\n# Foo\n```"],
  ])("but %s is no name", (_, readme) => {
    expect(["", "Foo"]).toContain(nameIn(readme));
    if (!readme.includes("Contents")) expect(nameIn(readme)).toBe("");
  });

  it("not what its folder is called", () => {
    expect(nameIn("Some words first.", "docs/readme.md")).toBe("");
  });
});

it("a row of links does not describe a library", () => {
  const readme = `# Foo\n\n[Website](https://foo.example) [Docs](https://docs.example)\n\n${text}\n`;
  expect(extract("README.md", readme)).toMatchObject({ description: text });
});
