import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesIn, tarball } from "../support/archives.ts";
import { zipOf } from "../support/zip.ts";
import { publishedPackage } from "./package-setup.ts";
import { unpacked } from "./unpacking.ts";

const good = filesIn("package", { "README.md": "# Hello\n" });

it.each([
  ["tar", tarball(good)],
  ["zip", zipOf([{ path: "package/README.md", body: "# Hello\n" }])],
] as const)("unpacks plain files of a %s", async (format, archive) => {
  const { result, files } = await unpacked(archive, format);
  expect(result).toEqual({ links: 0, tooLarge: 0, twins: 0 });
  expect(files).toEqual([join("in", "package", "README.md")]);
});

it("refuses an archive with another checksum than in its registry", async () => {
  const { index } = await publishedPackage("widgets", {
    "1.0.0": {
      files: { "README.md": "# Hi\n" },
      integrity: `sha512-${createHash("sha512").update("other").digest("base64")}`,
    },
  });
  await expect(index()).rejects.toMatchObject({
    code: "source_invalid",
    message: expect.stringContaining("sha512") as string,
  });
});
