import { Failure } from "../../domain/failures.ts";

/** Codes by which servers say that the bucket is elsewhere, or that we signed for another region. */
const elsewhere = ["PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"];

/** Codes of S3-compatible servers for a full disk or a quota. */
const noRoom = /Quota|StorageFull|StorageExceeded|InsufficientStorage|InsufficientCapacity/;

/**
 * Turns what the SDK threw into a Failure that says what to do, where the bucket is at fault; anything else stays as it is. Clients may
 * read the sentence: it names settings, and neither the bucket nor its address.
 */
export function toBucketFailure(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const { name = "", message = "", code, $metadata } = Object(error) as SdkError;
  const status = $metadata?.httpStatusCode;
  const fail = (message: string): Failure => new Failure("service_unavailable", message, { cause: error });
  if (name === "NoSuchBucket") return fail("The bucket of BLOB_URL does not exist. Create it, or name another one.");
  if (name === "CredentialsProviderError")
    return fail("There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
  if (elsewhere.includes(name) || status === 301 || message.startsWith("Region is missing"))
    return fail("The bucket is in another region. Name its region in BLOB_URL, as in ?region=eu-west-1.");
  if (status === 507 || noRoom.test(name)) return fail(`No space left in the bucket (${name}). Free some.`);
  if (status === 401 || status === 403 || name === "AccessDenied")
    return fail(
      `The bucket rejected the credentials (${name}). Check the AWS_* environment variables, and that they permit to get, put, list and delete objects.`,
    );
  if (status !== undefined) return fail(`The bucket answered with ${name}. Try again later.`);
  if (code !== undefined || name === "TimeoutError")
    return fail(`The bucket is unreachable (${code ?? "timeout"}). Check the endpoint in BLOB_URL.`);
  return error;
}

/** What the SDK throws. The name is the code of an S3 error, such as NoSuchKey; there is a status if there was an answer. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  /** Of a connection, such as ECONNREFUSED. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}
