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
  it("is its members: each has its own address, its signature and fragments are code, nothing is said twice", () => {
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

  it("is the nearest one that comes before it", () => {
    expect(textOf(pageOf('<div id="wrapper"><div id="inner"><h2>Use</h2></div></div>'))).toContain("## Use {#inner}");
    expect(textOf(pageOf('<div id="wrapper"><a id="before"></a><h2>Use</h2></div>'))).toContain("## Use {#before}");
    expect(textOf(pageOf('<section id="use"><span id="alias"></span><h2>Use</h2></section>'))).toContain(
      "## Use {#use}",
    );
  });
});

it("leaves out links for those who keep the page, and what stands above a list of its parts", () => {
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
