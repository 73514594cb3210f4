import { describe, expect, it } from "vitest";
import { parseBlobUrl } from "../../stores/blobs/url.ts";

describe("A BLOB_URL", () => {
  it.each([
    ["file:///srv/blobs", "/srv/blobs"],
    ["file:///srv/my%20blobs/", "/srv/my blobs/"],
    ["FILE:///srv/%3F", "/srv/?"],
  ])("%s names a folder", (url, folder) => {
    expect(parseBlobUrl(url)).toEqual({ kind: "folder", folder });
  });

  const amazon = { kind: "bucket", bucket: "docs", prefix: "", endpoint: null, region: null, forcePathStyle: false };
  const own = { ...amazon, endpoint: "http://127.0.0.1:9000", region: "us-east-1", forcePathStyle: true };
  it.each([
    ["s3://docs", amazon],
    ["s3://docs/", amazon],
    ["s3://docs/lectern/blobs", { ...amazon, prefix: "lectern/blobs/" }],
    ["s3://docs/lectern/?region=eu-west-1", { ...amazon, prefix: "lectern/", region: "eu-west-1" }],
    ["s3://docs?endpoint=http://127.0.0.1:9000", own],
    ["s3://docs?endpoint=http://127.0.0.1:9000/&region=us-east-1", own],
    [
      "s3://docs?endpoint=http://127.0.0.1:9000&region=x&pathStyle=false",
      { ...own, region: "x", forcePathStyle: false },
    ],
  ])("%s names a bucket", (url, location) => {
    expect(parseBlobUrl(url)).toEqual(location);
  });

  it.each([
    ["", /begin with file:\/\/\/ or s3:\/\//],
    ["/srv/blobs", /begin with/],
    ["https://s3.example.com/docs", /begin with/],
    ["file://srv/blobs", /three slashes/],
    ["file:blobs", /three slashes/],
    ["file:///srv/blobs?x=1", /without \? and #/],
    ["file:///srv%2fblobs", /absolute path/],
    ["s3://", /begin with|name a bucket/],
    ["s3://Docs", /name a bucket/],
    ["s3://do", /name a bucket/],
    ["s3://docs..x", /name a bucket/],
    ["s3://127.0.0.1:9000/docs", /name a bucket/],
    ["s3://docs/a//b", /prefix of/],
    ["s3://docs/a%20b", /prefix of/],
    ["s3://docs?endpoint=127.0.0.1:9000", /endpoint such as/],
    ["s3://docs?endpoint=http://127.0.0.1:9000/docs", /endpoint such as/],
    ["s3://docs?region=eu west", /region such as/],
    ["s3://docs?pathStyle=yes", /pathStyle=true/],
    ["s3://docs?regoin=x", /no parameters but endpoint, region, pathStyle/],
    ["s3://docs?region=x&region=y", /each once/],
    ["s3://docs#x", /after #/],
  ])("%j is refused with what it must be", (url, message) => {
    expect(() => parseBlobUrl(url)).toThrow(
      expect.objectContaining({ code: "validation_error", message: expect.stringMatching(message) as string }) as Error,
    );
    expect(() => parseBlobUrl(url)).toThrow(/^must /);
  });

  it.each(["s3://key:hidden@docs", "s3://docs?endpoint=http://key:hidden@127.0.0.1"])(
    "with credentials is refused without repeating them: %s",
    (url) => {
      expect(() => parseBlobUrl(url)).toThrow(/credentials/);
      expect(() => parseBlobUrl(url)).not.toThrow(/hidden/);
    },
  );
});
