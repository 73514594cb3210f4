import { expect, it } from "vitest";
import { pageOf, textOf } from "./outline.ts";

const content = "<h1>Guide</h1><p>How it is used.</p><pre><code>use();</code></pre>";
const links = '<li><a href="#/">Home</a></li><li><a href="#/guide" aria-current="page">Guide of the menu</a></li>';

/** An application's DOM after its scripts have run. */
const applications = {
  "Docsify 4": `<main><aside class="sidebar"><h1 class="app-name"><a href="/">Sprocket</a></h1><div class="sidebar-nav"><ul><li><a href="#/">Home of the menu</a></li></ul></div></aside><section class="content"><article class="markdown-section" id="main">${content}</article></section></main>`,
  "Docute 4": `<div class="Page"><div class="Wrap"><div class="Sidebar"><div class="ItemChild"><a class="ItemChildLink" href="#/">Home of the menu</a></div></div><div class="Main"><div class="Content"><h1 class="page-title">Guide</h1><div class="page-content has-page-title">${content.slice("<h1>Guide</h1>".length)}</div><div class="prev-next-links"><a href="#/next">Next of the menu</a></div></div></div></div></div>`,
  "a router": `<div id="app"><div class="side-menu"><ul>${links}<li>More<ul>${links}</ul></li></ul></div>${content}</div>`,
};

it.each(Object.entries(applications))("%s is read without its menus", (_name, body) => {
  const text = textOf(pageOf(body), { url: "https://docs.example.com/#/guide" });
  expect(text).toContain("How it is used.");
  expect(text).toContain("use();");
  expect(text).not.toMatch(/menu|Sprocket|More/);
});

it("a list that holds the page's heading stays, whatever link in it is marked", () => {
  const body = `<ul><li><a href="/" aria-current="page">Here</a></li><li>${content}</li></ul>`;
  expect(textOf(pageOf(body), { url: "https://docs.example.com/" })).toContain("How it is used.");
});
