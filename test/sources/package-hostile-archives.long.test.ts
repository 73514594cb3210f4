import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, tarball, tarOf, type ArchivedFile } from "../support/archives.ts";
import { zipOf, type ZippedFile } from "../support/zip.ts";
import { unpacked } from "./unpacking.ts";

const readme = "package/README.md";
const good = filesIn("package", { "README.md": "# Hello\n" });
const zeros = Buffer.alloc(900_000);
const file = { path: readme, body: "# Hello, and welcome\n" };

/** The same entries in each format that registries have. */
const formats: Readonly<Record<"tar" | "zip", (files: readonly { path: string; body?: string | Buffer }[]) => Buffer>> =
  {
    tar: tarball,
    zip: zipOf,
  };

/** Tricks of paths, as they are in every format. */
const paths: readonly (readonly [trick: string, path: string])[] = [
  ["a step upwards", "package/../../evil.md"],
  ["a step upwards at its end", "package/docs/.."],
  ["nothing but steps upwards", "../../../evil.md"],
  ["an absolute path", "/tmp/evil.md"],
  ["a drive", "C:/evil.md"],
  ["a drive behind its folder", "package/c:evil.md"],
  ["a backslash", "package\\..\\evil.md"],
  ["a share of a network", "\\\\host\\share\\evil.md"],
  ["a control character", "package/e\u0007vil.md"],
  ["a line break", "package/e\nvil.md"],
  ["an empty segment", "package//evil.md"],
  ["too many folders", `package/${"a/".repeat(40)}b.md`],
  [
    "too long a path",
    `package/${"a/".repeat(20)}${"b".repeat(90)}/${"c".repeat(90)}/${"d".repeat(90)}/${"e".repeat(90)}/${"f".repeat(90)}/${"g".repeat(90)}.md`,
  ],
];

describe.each(["tar", "zip"] as const)("a hostile %s", (format) => {
  const make = formats[format];

  it.each(paths)("with %s in a path is refused, and nothing is written outside", async (_trick, path) => {
    const { result, files } = await unpacked(make([{ path, body: "x" }, file]), format);
    expect(result).toMatchObject({
      code: "source_invalid",
      message: expect.stringMatching(/refused|damaged/) as string,
    });
    expect(files.filter((one) => one.includes("evil"))).toEqual([]);
  });

  it("with two files at one path is refused", async () => {
    const { result } = await unpacked(make([file, { ...file, body: "other" }]), format);
    expect(result).toMatchObject({ code: "source_invalid", message: expect.stringContaining("two files") as string });
  });

  it("with a file and a folder at one path is refused", async () => {
    const { result } = await unpacked(make(filesIn("package", { a: "x", "a/b.md": "x" }) as never), format);
    expect(result).toMatchObject({ code: "source_invalid" });
  });

  it("with paths that differ in case only gives the first, whatever the disk", async () => {
    const { result, files } = await unpacked(make([file, { path: "package/readme.MD", body: "other" }]), format);
    expect(result).toMatchObject({ twins: 1 });
    expect(files).toEqual([join("in", "package", "README.md")]);
  });

  it("that unpacks to too much in all is refused", async () => {
    const bomb = make(Array.from({ length: 8 }, (_, at) => ({ path: `package/${at}.md`, body: zeros })));
    expect(bomb.length).toBeLessThan(50_000);
    expect((await unpacked(bomb, format)).result).toMatchObject({ code: "library_too_large" });
  });

  it("with a file that is too large leaves that out", async () => {
    const archive = make([{ path: "package/large.md", body: Buffer.alloc(2_000_000) }, file]);
    const { result, files } = await unpacked(archive, format);
    expect(result).toMatchObject({ tooLarge: 1 });
    expect(files).toEqual([join("in", "package", "README.md")]);
  });

  it.each([0.1, 0.5, 0.9])("that is cut off behind %f of its bytes is refused", async (share) => {
    const archive = make([file, { path: "package/guide.md", body: "abc ".repeat(500) }]);
    const cut = archive.subarray(0, Math.floor(archive.length * share));
    expect((await unpacked(cut, format)).result).toMatchObject({ code: "source_invalid" });
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("hello")],
    ["zeros", Buffer.alloc(10_000)],
    ["the other format", format === "tar" ? zipOf([file]) : tarball(good)],
  ])("that is %s is refused", async (_what, bytes) => {
    expect((await unpacked(bytes, format)).result).toMatchObject({ code: "source_invalid" });
  });
});

describe("a hostile tar", () => {
  it("with links and devices gives none of them, and nothing is written through them", async () => {
    const entries: readonly ArchivedFile[] = [
      { path: "package/out", type: "SymbolicLink", linkpath: "../.." },
      { path: "package/hard.md", type: "Link", linkpath: "/etc/passwd" },
      { path: "package/soft.md", type: "SymbolicLink", linkpath: "/etc/passwd" },
      { path: "package/null.md", type: "CharacterDevice" },
      { path: "package/out/evil.md", body: "x" },
    ];
    const { result, files } = await unpacked(tarball(entries));
    expect(result).toMatchObject({ links: 3 });
    expect(files.toSorted()).toEqual([join("in", "package", "out"), join("in", "package", "out", "evil.md")]);
  });

  it("with a NUL in a path ends the path there", async () => {
    const { files } = await unpacked(tarball([{ path: "package/plain.md\0/../../../evil.md", body: "x" }]));
    expect(files).toEqual([join("in", "package", "plain.md")]);
  });

  it("with too many entries is refused", async () => {
    const head = tarOf({ path: "package/d", type: "Directory" }).subarray(0, 512);
    const { result } = await unpacked(gzipSync(Buffer.alloc(512 * 200_001, head), { level: 1 }), "tar", {
      maxUnpacked: 1e9,
    });
    expect(result).toMatchObject({ code: "library_too_large" });
  });

  it.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
    ["brotli", brotliCompressSync],
  ] as const)("that is compressed with %s once more is no tar: nothing of it is unpacked", async (_name, compress) => {
    const bomb = tarOf(...Array.from({ length: 8 }, (_, at) => ({ path: `package/${at}.md`, body: zeros })));
    const { result, files } = await unpacked(gzipSync(compress(bomb)));
    expect(result).toMatchObject({ code: "source_invalid" });
    expect(files).toEqual([]);
  });

  it("whose files have too many bytes in all is refused at the file that exceeds the limit, before it is read", async () => {
    const archive = tarball([file, { path: "package/large.md", body: "only a start", size: 900_000 }]);
    const { result } = await unpacked(archive, "tar", { maxUnpacked: 100_000 });
    expect(result).toMatchObject({ code: "library_too_large" });
  });

  it("whose header says more than there is, or is damaged, is refused", async () => {
    const lying = tarball([{ ...file, size: 500_000 }]);
    expect((await unpacked(lying)).result).toMatchObject({ code: "source_invalid" });
    const tar = tarOf(file);
    tar.write("evil", 0);
    expect((await unpacked(gzipSync(tar))).result).toMatchObject({ code: "source_invalid" });
  });

  it("with something behind its end gives nothing of that", async () => {
    const more = Buffer.concat([tarball(good), tarball([{ path: "package/evil.md", body: "x" }])]);
    expect((await unpacked(more)).files).toEqual([join("in", "package", "README.md")]);
    const { result } = await unpacked(Buffer.concat([more, Buffer.from("tail")]));
    expect(result).toMatchObject({ code: "source_invalid" });
  });
});

describe("a hostile zip", () => {
  const rows: readonly (readonly [trick: string, archive: Buffer])[] = [
    ["a header with another name", zip({ local: { path: "package/README.xx" } })],
    ["a header with another size", zip({ local: { size: 5 } })],
    ["a header with another size of what is packed", zip({ local: { packed: 5 } })],
    ["a header with another method", zip({ local: { method: 0 } })],
    ["a header that says that it is encrypted", zip({ local: { flags: 1 } })],
    ["an encrypted file", zip({ flags: 1 })],
    ["a method that is not read", zip({ listed: { method: 14 }, local: { method: 14 } })],
    ["another checksum", zip({ listed: { crc: 1 }, local: { flags: 8 } })],
    ["another checksum than its header", zip({ listed: { crc: 1 } })],
    ["a directory that says less than there is", zip({ listed: { size: 5 }, local: { size: 5 } })],
    ["a directory that says more than there is", zip({ listed: { size: 5000 }, local: { size: 5000 } })],
    ["more bytes than the archive has", zip({ listed: { packed: 5_000_000 }, local: { packed: 5_000_000 } })],
    ["a file beyond its end", zip({ listed: { at: 5_000_000 } })],
    ["sizes of zip64 that are not those of the file", zip({ zip64: [900_000n, 20n] })],
    ["more files in its last record than there are", zipOf([file], { count: 9 })],
    ["a directory that is elsewhere", zipOf([file], { at: 3 })],
    ["something behind its end", Buffer.concat([zipOf([file]), Buffer.from("tail")])],
    ["files that share their bytes", zipOf([file, { path: "package/other.md", body: file.body, listed: { at: 0 } }])],
  ];

  it.each(rows)("with %s is refused", async (_trick, archive) => {
    const { result, files } = await unpacked(archive, "zip");
    expect(result).toMatchObject({ code: "source_invalid" });
    expect(files).toEqual([]);
  });

  it("with many names for the same bytes is refused before anything is unpacked", async () => {
    const names = Array.from({ length: 1000 }, (_, at): ZippedFile => ({
      path: `package/${at}.md`,
      body: zeros,
      listed: { at: 0 },
    }));
    const { result, files } = await unpacked(zipOf(names), "zip", { maxUnpacked: 1e12 });
    expect(result).toMatchObject({
      code: "source_invalid",
      message: expect.stringContaining("share their bytes") as string,
    });
    expect(files).toEqual([]);
  });

  it.each([
    ["a symbolic link", 0o120777],
    ["a device", 0o020666],
    ["a pipe", 0o010666],
  ])("with %s does not give it", async (_what, mode) => {
    const { files } = await unpacked(zipOf([{ path: "package/evil.md", body: "/etc/passwd", mode }, file]), "zip");
    expect(files).toEqual([join("in", "package", "README.md")]);
  });

  it("with sizes of zip64 beyond any number leaves that file out", async () => {
    const { result, files } = await unpacked(zip({ zip64: [2n ** 63n, 2n ** 63n] }), "zip");
    expect(result).toMatchObject({ tooLarge: 1 });
    expect(files).toEqual([]);
  });

  it("with a NUL in a path is refused", async () => {
    const { result } = await unpacked(zipOf([{ path: "package/plain.md\0.exe", body: "x" }]), "zip");
    expect(result).toMatchObject({ code: "source_invalid" });
  });
});

function zip(lies: Partial<ZippedFile>): Buffer {
  return zipOf([{ ...file, ...lies }]);
}
