import { randomBytes } from "node:crypto";
import { S3Client, CreateBucketCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, inject, vi } from "vitest";
import { ensureDatabase } from "../../tools/dev/postgres.ts";
import { describeHealing } from "../contracts/healing.ts";

const [s3, postgres, temporal] = [inject("s3"), inject("postgres"), inject("temporal")];
const bucket = `lectern-${randomBytes(6).toString("hex")}`;
const own = (): string => `healing_${randomBytes(6).toString("hex")}`;

/** A place of its own in the bucket for each store. */
const inBucket = (): Record<string, string> => ({ BLOB_URL: `s3://${bucket}/${own()}?endpoint=${s3?.url ?? ""}` });

describe.skipIf(s3 === null)("On an S3 server", () => {
  beforeAll(async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
    const admin = new S3Client({ endpoint: s3?.url ?? "", region: "us-east-1", forcePathStyle: true });
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
    admin.destroy();
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  describeHealing("a bucket", async () => inBucket());

  describe.skipIf(postgres === null || temporal === null)("with PostgreSQL and Temporal", () => {
    describeHealing("a bucket", async () => {
      const name = own();
      const settings = { TEMPORAL_ADDRESS: temporal ?? "", TEMPORAL_NAMESPACE: name, TEMPORAL_ENCRYPTION: "off" };
      for (const [setting, value] of Object.entries(settings)) vi.stubEnv(setting, value);
      return { ...inBucket(), ...settings, DATABASE_URL: await ensureDatabase(postgres ?? "", name) };
    });
  });
});
