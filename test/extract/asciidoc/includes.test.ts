import { describe, expect, it } from "vitest";
import { includesOf } from "../../../extract/includes/index.ts";
import { codesOf, proseOf } from "../extract.ts";
import { read } from "./reading.ts";

const intro = "= A\n\nThis page has a paragraph of its own that is served in any case.\n\n";
const java = `class A {
  // tag::a[]
  int one;
  // tag::b[]
  int two;
  // end::b[]
  // end::a[]
  int three;
}
`;
const including = (target: string, options: string) =>
  `${intro}[source,java]\n----\ninclude::${target}[${options}]\n----\n`;

describe("the lines of an included file", () => {
  const cases: readonly (readonly [options: string, code: string])[] = [
    ["tag=a,indent=0", "int one;\nint two;"],
    ["tags=a;!b", "  int one;"],
    ['tags="b,a"', "  int one;\n  int two;"],
    ["tag=**", "class A {\n  int one;\n  int two;\n  int three;\n}"],
    ["tag=!a", "class A {\n  int three;\n}"],
    ["tag=!*", "class A {\n  int three;\n}"],
    ["tag=*", "  int one;\n  int two;"],
    ["tags=**;!b", "class A {\n  int one;\n  int three;\n}"],
    ["lines=1;8..-1", "class A {\n  int three;\n}"],
    ['lines="3..3"', "  int one;"],
  ];
  it.each(cases)("are those that it asks for: %s", async (options, code) => {
    const [shown] = codesOf(await read(including("A.java", options), { "docs/A.java": java }));
    expect(shown?.code).toBe(code);
  });

  it("have their own path and lines as the source of the code, and the place of the include on the page", async () => {
    const [shown] = codesOf(await read(including("../src/A.java", "tag=a"), { "src/A.java": java }));
    expect(shown).toMatchObject({ lines: [6, 8] });
    expect(shown?.sources).toEqual([
      { path: "src/A.java", lines: [3, 3] },
      { path: "src/A.java", lines: [5, 5] },
    ]);
  });

  it("are no directives unless they are AsciiDoc", async () => {
    const text = "include::secret.txt[]\nifdef::x[]\nendif::[]";
    const [shown] = codesOf(await read(including("a.txt", ""), { "docs/a.txt": text, "docs/secret.txt": "no" }));
    expect(shown?.code).toBe(text);
  });
});

it("includes text with its own includes, and its headings deeper", async () => {
  const files = {
    "docs/parts/one.adoc": "= Part one\n\nText of part one.\n\ninclude::two.adoc[]\n",
    "docs/parts/two.adoc": "Text of part two.\n",
  };
  const result = await read(
    `${intro}include::parts/one.adoc[leveloffset=+1]\n\n== After\n\nText after the part.\n`,
    files,
  );
  expect(JSON.stringify(result)).toMatch(/Part one/);
  expect(JSON.stringify(result)).toMatch(/After/);
  expect(proseOf(result).join("\n")).toMatch(/Text of part one\.\s+Text of part two\./);
});

describe("attributes in the path of an include", () => {
  const page = including("{examples}/A.java", "");
  const code = "class A {}";
  const places: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string, string?]>> = {
    "of the page": [{ "docs/x/A.java": code }, `:examples: x\n\n${page}`],
    "of a file that the page includes": [
      { "docs/x/A.java": code, "docs/_attributes.adoc": ":examples: {base}\n:base: y\n", "docs/y/A.java": "no" },
      `:base: x\ninclude::_attributes.adoc[]\n\n${page}`,
    ],
    "of the folder": [{ "docs/x/A.java": code }, `:examples: {docdir}/x\n\n${page}`],
    "of antora.yml": [
      {
        "a/antora.yml": "asciidoc:\n  attributes:\n    examples: example$x\n",
        "a/modules/ROOT/examples/x/A.java": code,
      },
      page,
      "a/modules/ROOT/pages/p/q.adoc",
    ],
    "of a playbook": [
      {
        "antora-playbook.yml": "asciidoc:\n  attributes:\n    examples: ops:example$\n",
        "a/modules/ops/examples/A.java": code,
      },
      page.replace("}/A", "}A"),
      "a/modules/ROOT/pages/q.adoc",
    ],
    "of pom.xml": [
      {
        "pom.xml":
          "<project><properties><ex>${project.basedir}/src</ex></properties><artifactId>asciidoctor-maven-plugin</artifactId><attributes><examples>${ex}/x</examples></attributes></project>",
        "src/x/A.java": code,
      },
      page,
      "src/docs/q.adoc",
    ],
  };
  it.each(Object.entries(places))("has the value %s", async (_title, [files, text, path]) => {
    const result = await read(text, files, path);
    expect(codesOf(result)).toMatchObject([{ code }]);
  });
});

it("finds partials and examples of Antora in the module that is named", async () => {
  const files = {
    "modules/ROOT/partials/p.adoc": "Text of the partial.\n\ninclude::ops:partial$q.adoc[]\n",
    "modules/ops/partials/q.adoc": "Text of the other module.\n\n----\ninclude::example$e.txt[]\n----\n",
    "modules/ops/examples/e.txt": "example",
    "modules/ROOT/examples/deep/e.txt": "another",
    "modules/ops/pages/run.adoc": "= Run it\n",
  };
  const page = `${intro}include::partial$p.adoc[]\n`;
  const result = await read(page, files, "modules/ROOT/pages/x.adoc");
  expect(proseOf(result).join("\n")).toContain("Text of the other module.");
  expect(codesOf(result)).toMatchObject([{ code: "example" }]);

  const slashed = `${intro}include::{partialsdir}/p.adoc[]\n\n----\ninclude::{examplesdir}//deep/e.txt[]\n----\n\nSee xref:ops:/run.adoc[].\n`;
  const other = await read(slashed, files, "modules/ROOT/pages/x.adoc");
  expect(other.notes).toBeUndefined();
  const text = proseOf(other).join("\n");
  for (const shown of ["Text of the other module.", "[Run it](../../ops/pages/run.adoc)"])
    expect(text).toContain(shown);
  expect(codesOf(other)).toMatchObject([{ code: "example" }, { code: "another" }]);
});

it("finds partials of its own component, and of one in the folder beside it, by their names", async () => {
  const files = {
    "docs/one/antora.yml": "name: one\n",
    "docs/one/modules/ops/partials/own.adoc": "Text of its own.\n",
    "docs/two/modules/ROOT/partials/other.adoc": "Text of the other.\n",
    "docs/one/modules/ops/pages/setup.adoc": "= Set up\n",
  };
  const page = `${intro}include::one:ops:partial$own.adoc[]\n\ninclude::two:ROOT:partial$other.adoc[]\n\nSee xref:one:ops:setup.adoc[] and xref:three::gone.adoc[the third].\n`;
  const text = proseOf(await read(page, files, "docs/one/modules/ROOT/pages/x.adoc")).join("\n");
  for (const shown of ["Text of its own.", "Text of the other.", "[Set up](../../ops/pages/setup.adoc)"])
    expect(text).toContain(shown);
  expect(text).toMatch(/and the third\./);
});

describe("a macro for code in several languages", () => {
  const folder = "docs/modules/ROOT";
  const settings = {
    "docs/antora.yml": "asciidoc:\n  attributes:\n    include-java: example$src/a\n    include-kotlin: example$src/k\n",
  };
  const page = `${intro}[[web.Get-Started]]\n== Get started\n\n* Text of the item.\n+\ninclude-code::./A[tag=t]\n\nText after it.\n`;

  it.each([
    ["the folder of examples", `${folder}/examples/src`],
    ["the sources of the component", "docs/src"],
  ])("is tabs of the files in %s", async (_title, examples) => {
    const files = {
      ...settings,
      [`${examples}/a/mvc/web/getstarted/A.java`]: "// tag::t[]\nint a;\n// end::t[]\nint b;\n",
      [`${examples}/k/mvc/web/getstarted/A.kt`]: "// tag::t[]\nval a\n// end::t[]\n",
    };
    const result = await read(page, files, `${folder}/pages/m-vc/x.adoc`);
    expect(codesOf(result)).toMatchObject([
      { language: "java", code: "int a;", sources: [{ lines: [2, 2] }] },
      { language: "kotlin", code: "val a" },
    ]);
    expect(result.notes).toBeUndefined();
  });

  it("is searched from the words of a section without an ID", async () => {
    const files = { ...settings, [`${folder}/examples/src/a/getstarted/b/A.java`]: "int a;\n" };
    const result = await read(`${intro}== Get started\n\ninclude-code::b/A[]\n`, files, `${folder}/pages/m/x.adoc`);
    expect(codesOf(result)).toMatchObject([{ code: "int a;" }]);
  });

  it("is left out, and noted, if there is no such file, as are all that are not known", async () => {
    const result = await read(`${page}\ngist::123[]\n\nstd::map stays.\n`, settings, `${folder}/pages/m-vc/x.adoc`);
    const text = JSON.stringify({ ...result, notes: [] });
    expect(text).not.toMatch(/include-code|gist/);
    expect(text).toContain("std::map stays.");
    expect(result.notes).toEqual(["Macros include-code:: are not read.", "Macros gist:: are not read."]);
  });
});

describe("hostile includes", () => {
  const targets = [
    "/etc/passwd",
    "../../../etc/passwd",
    "{docdir}/../../etc/passwd",
    "file:///etc/passwd",
    "https://example.com/a.adoc",
    "..\\..\\x.adoc",
    ".git/config.txt",
    "example$../../../../../x.adoc",
    "{docfile}/../../../../../x.adoc",
  ];
  it.each(targets)("are not followed out of the tree: %s", async (target) => {
    const text = `${intro}include::${target}[]\n`;
    for (const path of ["docs/a.adoc", "modules/ROOT/pages/a.adoc"]) {
      const refs = includesOf({ path, bytes: new TextEncoder().encode(text) });
      for (const place of refs.flatMap(({ places }) => places)) expect(place).not.toMatch(/\.\.|^\/|^\.git|\\|:|[{}]/);
      const result = await read(text, {}, path);
      expect(JSON.stringify(result)).toContain("a paragraph of its own");
      expect(result.notes).toHaveLength(1);
    }
  });

  it("end, and say what is missing", async () => {
    const files = { "docs/b.adoc": "Text of b.\n\ninclude::b.adoc[]\n\ninclude::page.adoc[]\n" };
    const result = await read(`${intro}include::b.adoc[]\n\ninclude::gone.adoc[opts=optional]\n`, files);
    expect(result.notes).toEqual([
      "Line 5 includes b.adoc, which includes itself.",
      "Line 5 includes page.adoc, which includes itself.",
    ]);
  });

  it("take no more than a page may include", async () => {
    const text = `${intro}${"include::a.txt[]\n\n".repeat(3000)}`;
    const result = await read(text, { "docs/a.txt": "word" });
    expect(result.notes).toHaveLength(21);
  });
});

it("settings of a component that cannot be parsed are noted, and the page is read without them", async () => {
  const files = { "a/antora.yml": "asciidoc: [\n" };
  const page = await read(`${intro}Version {release}.\n`, files, "a/modules/ROOT/pages/p.adoc");
  expect(page).toMatchObject({
    outcome: "indexed",
    notes: ["The attributes in a/antora.yml are not known, as it is not valid YAML."],
  });
});
