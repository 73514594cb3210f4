import { describe, expect, it } from "vitest";
import { pageOf, textOf } from "./outline.ts";

const url = "https://docs.example.com/api/class_clock.html";

/** A page as Doxygen 1.9 writes it. */
const doxygen = (contents: string): string => `<!DOCTYPE html><html><head>
<meta name="generator" content="Doxygen 1.9.4"/><title>Acme: Clock Class Reference</title></head><body>
<div id="top"><div id="titlearea"><div id="projectname">Acme <span id="projectnumber">v5</span></div></div></div>
<div id="doc-content"><div class="header"><div class="summary"><a href="#pub-methods">Public Member Functions</a></div>
<div class="headertitle"><div class="title">Clock Class Reference<div class="ingroups"><a href="group.html">System</a></div></div></div></div><!--header-->
<div class="contents">${contents}</div></div>
<div id="nav-path"><ul><li class="footer">Generated on Fri by <a href="https://www.doxygen.org">doxygen</a> 1.9.4</li></ul></div></body></html>`;

const summary = `<table class="memberdecls"><tr class="heading"><td colspan="2"><h2 class="groupheader"><a id="pub-methods"></a>Public Member Functions</h2></td></tr>
<tr class="memitem:a1b2"><td class="memItemLeft">Time</td><td class="memItemRight"><a href="#a1b2">restart</a> ()</td></tr>
<tr class="memdesc:a1b2"><td class="mdescLeft"></td><td class="mdescRight">Puts it back. <a href="#a1b2">More...</a></td></tr>`;
const member = `<a id="a1b2" name="a1b2"></a><h2 class="memtitle"><span class="permalink"><a href="#a1b2">◆&nbsp;</a></span>restart()</h2>
<div class="memitem"><div class="memproto"><table class="mlabels"><tr><td class="mlabels-left"><table class="memname">
<tr><td class="memname">Time Clock::restart </td><td>(</td><td class="paramtype">int&#160;</td><td class="paramname"><em>from</em>, </td></tr>
<tr><td class="paramkey"></td><td></td><td class="paramtype">bool&#160;</td><td class="paramname"><em>now</em>&#160;</td></tr>
<tr><td></td><td>)</td><td></td><td> const</td></tr></table></td><td class="mlabels-right"><span class="mlabel">virtual</span></td></tr></table></div>
<div class="memdoc"><p>Puts it back. </p><p>Returns the time before.</p>
<dl class="params"><dt>Parameters</dt><dd><table class="params"><tr><td class="paramdir">[in]</td><td class="paramname">from</td><td>Where to begin. </td></tr></table></dd></dl>
<div class="fragment"><div class="line"><span class="lineno">    1</span><a class="code" href="a.html">Clock</a> clock;</div>
<div class="line"> </div><div class="line">clock.restart(1, <span class="keyword">true</span>);</div>
<div class="ttc" id="tt"><div class="ttname">Clock</div><div class="ttdoc">A tooltip</div></div></div><!-- fragment -->
</div></div><hr/>The documentation for this class was generated from the following file:<ul><li>clock.h</li></ul>`;

describe("a page of Doxygen", () => {
  it("is cut into its members: each has its own address, its signature and fragments are code, nothing is repeated", () => {
    const brief = '<p>Measures time. <a href="#details">More...</a></p>';
    const detail =
      '<a name="details" id="details"></a><h2 class="groupheader">Detailed Description</h2><div class="textblock"><p>Measures time.</p><p>In seconds.</p></div>';
    expect(textOf(doxygen(`${brief}${summary}</table>${detail}${member}`), { url })).toBe(
      `title: Acme: Clock Class Reference
description: 

# Clock Class Reference {#}

## Detailed Description {#details}

Measures time.

In seconds.

### restart() {#a1b2}

{"language":"cpp"}
  | Time Clock::restart (int from, bool now) const

Puts it back.

Returns the time before.

(leads: Where to begin.)

- **Parameters**:
  - **from**: Where to begin.

{"language":"cpp"}
  | Clock clock;
  |  
  | clock.restart(1, true);

`,
    );
  });

  it("keeps what only the summary says of members", () => {
    const other =
      '<tr class="memitem:c3"><td class="memItemLeft"><a id="c3"></a>int</td><td class="memItemRight"><b>count</b></td></tr></table>';
    const text = textOf(doxygen(`${summary}${other}${member}`), { url });
    expect(text).toContain("| int | **count** |");
    expect(text).not.toContain("More...");
  });

  it("has headings for members before Doxygen 1.8.14", () => {
    const old = member.replace(/<a id[^]*?<\/h2>/, '<a class="anchor" id="a1b2"></a>');
    expect(textOf(doxygen(old), { url })).toContain("### restart {#a1b2}");
  });
});

it("reads numbers beside code as lines only where they are one more each", () => {
  const row = (beside: string): string =>
    textOf(pageOf(`<table><tr><td><pre>${beside}</pre></td><td><pre>a = 1\nb = 2\nc = 3</pre></td></tr></table>`));
  expect(row("1\n2\n3")).not.toContain("  | 1\n");
  expect(row("4 0\n0 4")).toContain("  | 4 0\n  | 0 4\n");
});

it("reads the members of pdoc with their names and signatures, without their sources", () => {
  const text = textOf(
    `<html><body><main class="pdoc"><section class="module-info"><h1 class="modulename">sample</h1></section>
<section id="Client"><input class="view-source-toggle-state" type="checkbox"><div class="attr class"><span class="def">class</span> <span class="name">Client</span>:
<label class="view-source-button"><span>View Source</span></label></div><a class="headerlink" href="#Client"></a>
<div class="pdoc-code codehilite"><pre>class Client: source</pre></div><div class="docstring"><p>Talks to a server.</p></div>
<div id="Client.get" class="classattr"><div class="attr function"><span class="def">def</span> <span class="name">get</span><span class="signature pdoc-code condensed">(<span class="param">self</span>)</span></div>
<div class="pdoc-code codehilite"><pre>def get: source</pre></div><div class="docstring"><div class="pdoc-code codehilite"><pre><code>get()</code></pre></div></div></div></section></main></body></html>`,
  );
  expect(text).toContain('## Client {#Client}\n\n{"language":"python"}\n  | class Client:\n');
  expect(text).toContain('### Client.get {#Client.get}\n\n{"language":"python"}\n  | def get(self)\n');
  expect(text).toContain("| get()");
  expect(text).not.toMatch(/source/i);
});

it("keeps the tags of TypeDoc in titles", () => {
  const text = textOf(
    `<html><body><div class="container container-main"><div class="col-content"><div class="tsd-page-title"><h1>Class Shape<code class="tsd-tag">Abstract</code></h1></div>
<section class="tsd-panel tsd-member"><h3 class="tsd-anchor-link" id="make"><code class="tsd-tag">Protected</code> <code class="tsd-tag">Static</code><span>make</span></h3><div class="tsd-signature">make(): Shape</div></section></div></div></body></html>`,
  );
  expect(text).toContain("# Class Shape Abstract {#}");
  expect(text).toContain("### Protected Static make {#make}");
});

describe("the place of a heading", () => {
  it("is an anchor in it before anything around it, one that readers copy before older names", () => {
    const old = '<a aria-hidden="true" class="legacy" id="all_use"></a>';
    const mark = '<span><a class="mark" href="#use" id="use">#</a></span>';
    expect(textOf(pageOf(`<div id="apicontent"><h2>Use${mark}${old}</h2></div>`))).toContain("## Use {#use}");
    expect(textOf(pageOf(`<div id="apicontent"><h2>Use${old}${mark}</h2></div>`))).toContain("## Use {#use}");
    expect(textOf(pageOf(`<div id="apicontent"><h2 id="own">Use${mark}</h2></div>`))).toContain("## Use {#own}");
  });

  it("is not part of what stood before it and has ended", () => {
    const page = `<html><body><div id="search"><form><div><label></label></div></form></div><h1>Questions</h1><p>There are some of them.</p></body></html>`;
    expect(textOf(page, { url })).toContain("# Questions {#}");
    const empty = `<html><body><h1>A</h1><div><a name="x"></a></div><h2>Questions</h2><p>There are some of them.</p></body></html>`;
    expect(textOf(empty, { url })).toContain("## Questions {#x}");
  });

  it("is the nearest one that comes before it", () => {
    expect(textOf(pageOf('<div id="wrapper"><div id="inner"><h2>Use</h2></div></div>'))).toContain("## Use {#inner}");
    expect(textOf(pageOf('<div id="wrapper"><a id="before"></a><h2>Use</h2></div>'))).toContain("## Use {#before}");
    expect(textOf(pageOf('<section id="use"><span id="alias"></span><h2>Use</h2></section>'))).toContain(
      "## Use {#use}",
    );
  });
});

it("leaves out links for maintainers of the page, and text above a list of its parts", () => {
  const text = textOf(
    pageOf(
      '<p>Table of Contents</p><p>A page.</p><ul><li><a href="/edit">Edit on GitHub</a></li></ul><p><a href="/edit">✏ Edit this page</a></p><p><a href="/edit">Edit the configuration on GitHub</a></p>',
    ),
  );
  expect(text).not.toMatch(/Table of|Edit on|Edit this/);
  expect(text).toContain("[Edit the configuration on GitHub]");
});

it("reads links relative to the page's base", () => {
  const link = '<p>See <a href="use.html">how</a>.</p>';
  const at = (base: string): string => textOf(pageOf(link, `<base href="${base}">`), { url: "https://a.example/x/y" });
  expect(at("/docs/v2/")).toContain("[how](https://a.example/docs/v2/use.html)");
  expect(at("../")).toContain("[how](https://a.example/use.html)");
  for (const none of ["", "javascript:alert(1)", "https://["])
    expect(at(none)).toContain("[how](https://a.example/x/use.html)");
});

describe("members that have a place and a signature, but no heading", () => {
  it("of Haddock are found by their names, below the sections of their module", () => {
    const page = `<html><head><title>Data.Clock</title></head><body><div id="content"><div id="module-header"><table class="info"><tr><th>Language</th><td>Haskell2010</td></tr></table><p class="caption">Data.Clock</p></div>
<div id="table-of-contents"><ul><li><a href="#g:1">Time</a></li></ul></div>
<div id="synopsis"><details id="syn"><summary>Synopsis</summary><ul><li class="src short">now :: Clock -&gt; Time</li></ul></details></div><div id="interface"><h1 id="g:1">Time</h1><div class="top"><p class="src"><a id="v:now" class="def">now</a> :: Clock -&gt; Time <a href="src/Data.Clock.html#now" class="link">Source</a> <a href="#v:now" class="selflink">#</a></p><div class="doc"><p>What time it is.</p></div></div></div></div></body></html>`;
    const text = textOf(page, { url });
    expect(text).toContain("# Data.Clock {#module-header}\n");
    expect(text).toContain(
      '## Time {#g:1}\n\n###### now {#v:now}\n\n{"language":"haskell"}\n  | now :: Clock -> Time\n\nWhat time it is.',
    );
    expect(text).not.toMatch(/Source|Haskell2010/);
  });

  it("of pdoc3 are, those of a class below it, without their sources", () => {
    const member = (id: string, kind: string, name: string, inside: string): string =>
      `<dt id="${id}"><code class="name flex">\n<span>${kind} <span class="ident">${name}</span></span>\n<span>(</span><span>self)</span>\n</code></dt>\n<dd><details class="source"><summary><span>Expand source code</span></summary><pre><code class="python">hidden()</code></pre></details><div class="desc"><p>About ${name}.</p></div>${inside}</dd>`;
    const page = `<html><head><meta name="generator" content="pdoc3 0.11.6"><title>clock API documentation</title></head><body><main><article id="content"><header><h1 class="title">Module <code>clock</code></h1></header><section><h2 class="section-title" id="header-classes">Classes</h2><dl>${member("clock.Clock", "class", "Clock", `<h3>Methods</h3><dl>${member("clock.Clock.now", "def", "now", "")}</dl>`)}</dl></section></article></main></body></html>`;
    expect(textOf(page, { url }).replace(/^[^#]*/, "")).toBe(
      `# Module clock {#content}

## Classes {#header-classes}

### Clock {#clock.Clock}

{"language":"python"}
  | class Clock(self)

About Clock.

#### Methods {#}

##### now {#clock.Clock.now}

{"language":"python"}
  | def now(self)

About now.

`,
    );
  });

  it("of RDoc are, without what can be clicked; the title of a section stays", () => {
    const page = `<html><body><main role="main"><h1 id="class-Clock" class="class">class Clock</h1><section id="x" class="documentation-section"><section id="m" class="method-section"><header><h3>Public Instance Methods</h3></header>
<div id="method-i-now" class="method-detail "><div class="method-heading"><span class="method-name">now</span><span class="method-args">(zone)</span> <span class="method-click-advice">click to toggle source</span></div><div class="method-description"><p>What time it is.</p><div class="method-source-code"><pre>hidden</pre></div></div></div></section></section></main></body></html>`;
    const text = textOf(page, { url });
    expect(text).toContain("### Public Instance Methods {#m}");
    expect(text).toContain('#### now {#method-i-now}\n\n{"language":"ruby"}\n  | now(zone)\n\nWhat time it is.');
    expect(text).not.toMatch(/click|hidden/);
  });

  it("of QDoc and gi-docgen are their headings, and inherited ones are on their own pages", () => {
    const qt = `<html><body><div class="content mainContent"><div class="sidebar"><ul><li>Contents</li></ul></div><h1 class="title">Clock Class</h1><h2 id="public-functions">Public Functions</h2><div class="table"><table class="alignedsummary"><tr><td><b><a href="c.html#now">now</a></b>() const</td></tr></table></div>
<h2>Member Function Documentation</h2><h3 class="fn" id="now"><a name="now"></a><span class="type">Time</span> Clock::<span class="name">now</span>(int <i>zone</i>) const</h3><p>What time it is.</p></div></body></html>`;
    expect(textOf(qt, { url })).toContain(
      '### now {#now}\n\n{"language":"cpp"}\n  | Time Clock::now(int zone) const\n\nWhat time it is.',
    );
    expect(textOf(qt, { url })).not.toMatch(/Contents|c\.html/);
    const gtk = `<html><body><section id="main" class="content"><header><h3>Class</h3><h1><a href="index.html">Gtk</a><span class="sep"></span>Clock</h1></header><section><h4 id="methods">Instance methods</h4><p>It has some.</p><div class="toggle-wrapper default-hide ancestor-methods"><h5>Methods inherited from GObject (43)</h5></div></section></section></body></html>`;
    expect(textOf(gtk, { url })).toContain("# Gtk.Clock {#main}");
    expect(textOf(gtk, { url })).not.toMatch(/inherited|# Class/);
  });
});

it("reads declarations of Javadoc with plain blanks, and the author's code as it is", () => {
  const page = `<html><head><!-- Generated by javadoc --></head><body><main role="main"><div class="header"><h2 class="title">Class Clock</h2></div><div class="contentContainer"><div class="details"><ul class="blockList"><li class="blockList"><h4>now</h4><pre>public&nbsp;Time&nbsp;now&#8203;(int&nbsp;zone,
int b)</pre><div class="block"><pre>a&nbsp;b c</pre></div></li></ul></div></div></main></body></html>`;
  expect(textOf(page, { url })).toContain("  | public Time now(int zone,\n  | int b)");
  expect(textOf(page, { url })).toContain("  | a\u00A0b c");
});

it("ends the line of an attribute that rustdoc sets above a declaration", () => {
  const page = `<html><head><meta name="generator" content="rustdoc"></head><body><section id="main-content"><h1>Struct Point</h1><pre class="rust struct"><code><span class="code-attribute">#[repr(C)]</span>pub struct Point;</code></pre></section></body></html>`;
  expect(textOf(page, { url })).toContain("  | #[repr(C)]\n  | pub struct Point;");
});

it("has code that fills a row of a table, and all of a page whose members are articles", () => {
  const table = `<html><body><main><h1>Find</h1><table><tr><th>First version</th></tr><tr><td><div><pre>find(a);\n  b();</pre></div></td></tr><tr><th>Second version</th></tr><tr><td><pre>find(b);</pre></td></tr></table></main></body></html>`;
  expect(textOf(table, { url })).toContain("  | find(a);\n  |   b();");
  expect(textOf(table, { url })).toContain("  | find(b);");
  const articles = `<html><body><div><h1>Logger</h1><p>It writes what it is told, wherever you want.</p><pre>log(a)</pre><article><h4 id="a">log(a)</h4><p>${"It logs what it is given. ".repeat(9)}</p></article><article><h4 id="b">end()</h4><p>${"It ends what has begun. ".repeat(9)}</p></article></div></body></html>`;
  expect(textOf(articles, { url })).toContain("  | log(a)");
});

it("leaves out what a page ends with that says which program made it", () => {
  const page = (end: string): string => `<html><body><main><h1>A</h1><p>It is there.</p>${end}</main></body></html>`;
  for (const end of [
    '<p>Generated by <a href="https://acme.example">Acme Docs</a> 4.2</p>',
    "<p>Documentation generated with Acme 1.0 on Monday</p>",
    '<hr><p>This site was built using <a href="https://acme.example">Acme</a>.</p>',
  ])
    expect(textOf(page(end), { url })).toMatch(/It is there\.\n\n$/);
  for (const end of [
    "<p>Generated by a build, it is written to a folder of its own.</p>",
    "<p>Built with version 2 of the compiler. It runs on all machines there are.</p>",
  ])
    expect(textOf(page(end), { url })).not.toMatch(/It is there\.\n\n$/);
});
