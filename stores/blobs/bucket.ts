import { setTimeout as sleep } from "node:timers/promises";
import type { GetObjectCommandOutput, ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { Failure } from "../../domain/failures.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { createSilence } from "../../domain/silent-servers.ts";
import { parseKey, parsePrefix } from "./keys.ts";
import type { BucketLocation } from "./url.ts";

/** A BlobStore in a bucket. */
export interface BucketBlobStore extends BlobStore {
  /** Closes the idle connections. */
  close(): void;
}

/** The result of `parseBlobUrl`, and timeouts that tests shorten. */
export interface BucketOptions extends Omit<BucketLocation, "kind"> {
  /** What names the bucket, for messages; by default `BLOB_URL`. */
  readonly named?: string;
  /** Connection timeout in milliseconds. */
  readonly connectTimeout?: number;
  /** Timeout of a response, and of each pause within it, in milliseconds. */
  readonly requestTimeout?: number;
  /** Called when the server stops responding, and when it responds again. */
  readonly onSilent?: (isSilent: boolean) => void;
}

/** Maximum attempts of a request. The SDK's backoff begins at 0.1 s and grows to 20 s. */
const attempts = 4;

/** Time without a response after which the server counts as silent, in milliseconds: an upload can delay a probe on the same line. */
const silencePatience = 4000;

/** Maximum objects of one delete request: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
const maxDeletes = 1000;

/**
 * Stores each blob as one object in a bucket of an S3-compatible server. Credentials come from the AWS environment, profile or
 * instance role. The SDK is loaded on demand, so that processes with a folder do without it.
 * Methods @throws Failure service_unavailable if the bucket is missing, denies access or is unreachable, internal_error for an
 * invalid key
 */
export async function createBucketBlobStore(options: BucketOptions): Promise<BucketBlobStore> {
  const { bucket, prefix: root, endpoint, region, forcePathStyle } = options;
  const { named = "BLOB_URL", connectTimeout = 3000, requestTimeout = 60_000 } = options;
  const s3 = await import("@aws-sdk/client-s3");
  const client = new s3.S3Client({
    forcePathStyle,
    maxAttempts: attempts,
    // Some servers lack the newer checksums. Manifests have hashes of the parts anyway.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: connectTimeout,
      requestTimeout,
      throwOnRequestTimeout: true,
      socketTimeout: requestTimeout,
    },
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
  });

  /** The objects with a prefix, in pages of at most 1000. */
  async function* objects(prefix: string): AsyncGenerator<NonNullable<ListObjectsV2CommandOutput["Contents"]>> {
    let next: string | undefined;
    do {
      const request = { Bucket: bucket, Prefix: prefix, ...(next !== undefined && { ContinuationToken: next }) };
      const page: ListObjectsV2CommandOutput = await reach((abort) =>
        client.send(new s3.ListObjectsV2Command(request), abort),
      );
      // A response that is not S3's, such as a proxy's web page, parses as an empty list.
      if (page.IsTruncated === undefined) throw noBucketServer();
      yield page.Contents ?? [];
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  /** Their names. */
  async function* pages(prefix: string): AsyncGenerator<string[]> {
    for await (const page of objects(prefix)) yield page.flatMap(({ Key }) => Key ?? []);
  }

  const unlessSilent = createSilence({
    async probe(timeout) {
      const abort = { abortSignal: AbortSignal.timeout(timeout) };
      await client.send(new s3.HeadBucketCommand({ Bucket: bucket }), abort).catch((error: unknown) => {
        // A missing or forbidden bucket is a response too.
        if (!(error instanceof s3.S3ServiceException)) throw error;
      });
    },
    code: "service_unavailable",
    patience: silencePatience,
    message: "The bucket's server does not answer. Check that it runs and can be reached, then try again.",
    ...(options.onSilent && { onChange: options.onSilent }),
  });

  /** Sends a request, and aborts it when the caller stops waiting. */
  async function reach<T>(request: (abort: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    try {
      return await unlessSilent(() => request({ abortSignal: controller.signal }));
    } catch (error) {
      throw toBucketFailure(error, named);
    } finally {
      controller.abort();
    }
  }

  function noBucketServer(): Failure {
    const message = `The server at the bucket's endpoint is not S3. Check the endpoint in ${named}.`;
    return new Failure("service_unavailable", message);
  }

  return {
    async put(key, bytes) {
      const request = { Bucket: bucket, Key: root + parseKey(key), Body: bytes, ContentLength: bytes.length };
      const { ETag } = await reach((abort) => client.send(new s3.PutObjectCommand(request), abort));
      if (ETag === undefined) throw noBucketServer();
    },

    async get(key) {
      const request = { Bucket: bucket, Key: root + parseKey(key) };
      return reach(async (abort) => {
        for (let attempt = 1; ; attempt += 1) {
          let response: GetObjectCommandOutput;
          try {
            response = await client.send(new s3.GetObjectCommand(request), abort);
          } catch (error) {
            if (error instanceof s3.NoSuchKey) return undefined;
            throw error;
          }
          try {
            return await response.Body?.transformToByteArray();
          } catch (error) {
            // The SDK does not retry once a response has started.
            if (attempt === attempts || abort.abortSignal.aborted) throw error;
            await sleep(100 * 2 ** attempt);
          }
        }
      });
    },

    async *list(prefix) {
      for await (const names of pages(root + parsePrefix(prefix)))
        // Consoles represent an empty folder by a name that ends in a slash.
        for (const name of names) if (!name.endsWith("/")) yield name.slice(root.length);
    },

    async removeAll(prefix) {
      for await (const names of pages(root + parsePrefix(prefix)))
        for (let at = 0; at < names.length; at += maxDeletes) {
          const Objects = names.slice(at, at + maxDeletes).map((Key) => ({ Key }));
          const request = new s3.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
          const { Errors: [failed] = [] } = await reach((abort) => client.send(request, abort));
          if (failed)
            throw toBucketFailure(
              { name: failed.Code, message: failed.Message, $metadata: { httpStatusCode: 200 } },
              named,
            );
        }
    },

    async size() {
      let sum = 0;
      for await (const page of objects(root)) for (const { Size = 0 } of page) sum += Size;
      return sum;
    },

    // Uploads are atomic: there are no temporary objects.
    sweepTemporary: async () => undefined,

    close: () => client.destroy(),
  };
}

/** Codes of servers when the bucket is in another region, or the request was signed for another one. */
const elsewhere = ["PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"];

/** Codes of S3-compatible servers for a full disk or a quota. */
const noRoom = /Quota|StorageFull|StorageExceeded|InsufficientStorage|InsufficientCapacity/;

/**
 * Converts an error of the SDK to a Failure that says what to do, if the bucket is at fault; returns other errors as they are. API
 * clients see the message, so it names settings, but neither the bucket nor its address.
 */
function toBucketFailure(error: unknown, named: string): unknown {
  if (error instanceof Failure) return error;
  const { name = "", message = "", code, $metadata } = Object(error) as SdkError;
  const status = $metadata?.httpStatusCode;
  const fail = (message: string): Failure => new Failure("service_unavailable", message, { cause: error });
  if (name === "NoSuchBucket") return fail(`The bucket of ${named} does not exist. Create it, or name another one.`);
  if (name === "CredentialsProviderError")
    return fail("There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
  if (elsewhere.includes(name) || status === 301 || message.startsWith("Region is missing"))
    return fail(`The bucket is in another region. Name its region in ${named}, as in ?region=eu-west-1.`);
  if (status === 507 || noRoom.test(name)) return fail(`No space left in the bucket (${name}). Free some.`);
  if (status === 401 || status === 403 || name === "AccessDenied")
    return fail(
      `The bucket rejected the credentials (${name}). Check the AWS_* environment variables, and that they permit to get, put, list and delete objects.`,
    );
  if (status !== undefined) return fail(`The bucket answered with ${name}. Try again later.`);
  if (code !== undefined || name === "TimeoutError")
    return fail(`The bucket is unreachable (${code ?? "timeout"}). Check the endpoint in ${named}.`);
  return error;
}

/** An error of the SDK. `name` is the code of an S3 error, such as NoSuchKey; the status is absent without a response. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  /** Code of a connection error, such as ECONNREFUSED. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}
