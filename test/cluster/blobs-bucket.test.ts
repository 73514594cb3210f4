import { randomBytes } from "node:crypto";
import { S3Client, CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createBucketBlobStore, type BucketBlobStore } from "../../stores/blobs/bucket.ts";
import { parseBlobUrl } from "../../stores/blobs/url.ts";
import { all, describeBlobStore } from "../contracts/blob-store.ts";

const url = inject("s3")?.url ?? null;
const bucket = `lectern-${randomBytes(6).toString("hex")}`;
const opened: BucketBlobStore[] = [];
let admin: S3Client;

/** A store as BLOB_URL would make it. */
async function open(path: string, of = bucket): Promise<BucketBlobStore> {
  const location = parseBlobUrl(`s3://${of}${path}?endpoint=${url ?? ""}`);
  if (location.kind !== "bucket") throw new Error("This is no bucket.");
  const store = await createBucketBlobStore(location);
  opened.push(store);
  return store;
}

const fresh = (): Promise<BucketBlobStore> => open(`/${randomBytes(6).toString("hex")}/blobs`);

describe.skipIf(url === null)("On an S3 server", () => {
  beforeAll(async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
    admin = new S3Client({ endpoint: url ?? "", region: "us-east-1", forcePathStyle: true });
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterAll(() => {
    for (const store of opened) store.close();
    admin.destroy();
    vi.unstubAllEnvs();
  });

  describeBlobStore("A bucket", fresh);

  describe("A bucket of blobs", () => {
    it("keeps stores with prefixes of their own apart", async () => {
      const [whole, one, other] = [await open(""), await open("/apart/a"), await open("/apart/ab")];
      await one.put("p/x", Buffer.from("one"));
      await other.put("p/x", Buffer.from("other"));
      expect(await all(one.list("p/"))).toEqual(["p/x"]);
      expect((await all(whole.list("apart/"))).sort()).toEqual(["apart/a/p/x", "apart/ab/p/x"]);
      await one.removeAll("p/");
      expect(await one.get("p/x")).toBeUndefined();
      expect(await other.get("p/x")).toEqual(new Uint8Array(Buffer.from("other")));
    });

    it("have a size, without what else is in the bucket", async () => {
      const store = await open("/sized");
      await store.put("p/one", Buffer.alloc(30_000));
      await store.put("q/two", Buffer.alloc(12));
      expect(await store.size?.()).toBe(30_012);
    });

    it("shows another process's blob as soon as it was put", async () => {
      const [writer, reader] = [await open("/shared"), await open("/shared")];
      for (let round = 0; round < 20; round += 1) {
        await writer.put("p/x", Buffer.from(`round ${round}`));
        expect(Buffer.from((await reader.get("p/x")) ?? []).toString()).toBe(`round ${round}`);
      }
    });

    it("takes the mark of an empty folder for no blob, and removes it with the rest", async () => {
      const store = await open("/marked");
      await admin.send(new PutObjectCommand({ Bucket: bucket, Key: "marked/p/", Body: "", ContentLength: 0 }));
      await store.put("p/x", Buffer.from("x"));
      expect(await all(store.list("p/"))).toEqual(["p/x"]);
      await store.removeAll("p/");
      await store.put("p/y", Buffer.from("y"));
      expect(await all(store.list("p/"))).toEqual(["p/y"]);
    });

    it("takes blobs of many megabytes", async () => {
      const store = await fresh();
      const blob = randomBytes(40_000_000);
      await store.put("p/large", blob);
      expect(Buffer.compare((await store.get("p/large")) ?? new Uint8Array(), blob)).toBe(0);
    });

    it("says so where the bucket does not exist, in every operation", async () => {
      const store = await open("/p", "no-such-bucket");
      const missing = {
        code: "service_unavailable",
        message: "The bucket of BLOB_URL does not exist. Create it, or name another one.",
      };
      await expect(store.put("a/b", Buffer.from("x"))).rejects.toMatchObject(missing);
      await expect(store.get("a/b")).rejects.toMatchObject(missing);
      await expect(all(store.list("a/"))).rejects.toMatchObject(missing);
      await expect(store.removeAll("a/")).rejects.toMatchObject(missing);
    });
  });
});
