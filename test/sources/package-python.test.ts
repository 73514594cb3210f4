import { createHash } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { extensions } from "../../extract/formats.ts";
import { createGitSource } from "../../sources/git/index.ts";
import { packageReaderWith } from "../../sources/package/index.ts";
import { filesIn, tarball } from "../support/archives.ts";
import { zipOf } from "../support/zip.ts";
import { startSite } from "../support/site.ts";
import { indexedSite } from "./site-setup.ts";

/** Indexes a package with one file from an index on loopback. */
async function distribution(filename: string, archive: Buffer) {
  const site = await startSite();
  onTestFinished(() => site.close());
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const listed = { files: [{ filename, url: `/files/${filename}`, hashes: { sha256 } }] };
  site.pages.set("/simple/kit/", (response) => {
    response.writeHead(200, { "content-type": "application/vnd.pypi.simple.v1+json" }).end(JSON.stringify(listed));
  });
  site.pages.set(`/files/${filename}`, (response) => void response.writeHead(200).end(archive));
  const { index } = await indexedSite<PackageSourceSpec>(
    {},
    { hosts: [site.host] },
    (tools) => packageReaderWith((git) => createGitSource(git)).create({ ...tools, extensions }) as never,
  );
  const spec = { kind: "package", registry: "pypi", name: "kit", version: null, restricted: false } as const;
  return index({ ...spec, url: `${site.origin}/simple/` });
}

const head = ["Metadata-Version: 2.1", "Name: kit", "Version: 1.0.0"];
const markdown = "# Kit\n\nPolish it so:\n\n```python\npolish(kit)\n```\n";

it("reads the description in the metadata of a wheel, with the lines that it has there", async () => {
  const text = [...head, "Description-Content-Type: text/markdown; charset=UTF-8", "", markdown].join("\n");
  const files = { "kit/__init__.py": "", "kit-1.0.0.dist-info/METADATA": text };
  const { passages } = await distribution(
    "kit-1.0.0-py3-none-any.whl",
    zipOf(Object.entries(files).map(([path, body]) => ({ path, body }))),
  );
  const [one] = passages.filter(({ source }) => source.path?.endsWith("METADATA"));
  expect(JSON.stringify(one)).toContain("polish(kit)");
  expect(one?.source.lines?.[0]).toBeGreaterThan(head.length);
});

it("reads the description of a source distribution that has no README, and no other twice", async () => {
  const info = [...head, "Description-Content-Type: text/markdown", "", markdown].join("\n");
  const sdist = (files: Record<string, string>) =>
    distribution("kit-1.0.0.tar.gz", tarball(filesIn("kit-1.0.0", { "PKG-INFO": info, ...files })));
  expect((await sdist({})).passages.map(({ source }) => source.path)).toEqual(["PKG-INFO"]);
  expect((await sdist({ "README.md": markdown })).passages.map(({ source }) => source.path)).toEqual(["README.md"]);
});

it("reads a description that older programs wrote as a field", async () => {
  const field = ["Description-Content-Type: text/markdown", "Description: # Kit", ...markdown.split("\n").slice(1)];
  const text = [...head, ...field.map((line, at) => (at < 2 ? line : `        ${line}`)), "Platform: any", ""].join(
    "\n",
  );
  const archive = tarball(filesIn("kit-1.0.0", { "PKG-INFO": text }));
  expect(JSON.stringify((await distribution("kit-1.0.0.tar.gz", archive)).passages)).toContain("polish(kit)");
});

it("reads a description in windows-1252, with a note", async () => {
  const text = [...head, "Description-Content-Type: text/markdown", "", markdown.replace("kit)", '"\u00e9")')].join(
    "\n",
  );
  const files = [{ path: "kit-1.0.0.dist-info/METADATA", body: Buffer.from(text, "latin1") }];
  const { passages, manifest } = await distribution("kit-1.0.0-py3-none-any.whl", zipOf(files));
  expect(JSON.stringify(passages)).toContain(String.raw`polish(\"é\")`);
  expect(manifest.notes).toContain("kit-1.0.0.dist-info/METADATA is not UTF-8, and is read as windows-1252.");
});
