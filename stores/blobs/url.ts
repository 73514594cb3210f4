import { fileURLToPath } from "node:url";
import { Failure } from "../../domain/failures.ts";
import { parsePrefix } from "./keys.ts";

/** The location of the blobs, parsed from BLOB_URL. */
export type BlobLocation = FolderLocation | BucketLocation;

export interface FolderLocation {
  readonly kind: "folder";
  /** Absolute path. */
  readonly folder: string;
}

export interface BucketLocation {
  readonly kind: "bucket";
  readonly bucket: string;
  /** Prefix of every key: "", or segments that end in `/`. */
  readonly prefix: string;
  /** Address of the server; null: Amazon S3. */
  readonly endpoint: string | null;
  /** Null: the region of the AWS environment or profile. */
  readonly region: string | null;
  /** The bucket is in the path of addresses, not in the host name. */
  readonly forcePathStyle: boolean;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const bucketName = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * Parses `file:///folder` and `s3://bucket[/prefix][?endpoint=http://host:port][&region=name][&pathStyle=true|false]`. With an
 * endpoint, the defaults are the region us-east-1 and `pathStyle=true`.
 * @throws Failure validation_error whose message continues the setting's name, as in "must begin with ...", and never contains the
 * URL, which may hold a password
 */
export function parseBlobUrl(text: string): BlobLocation {
  const url = URL.parse(text);
  if (url?.protocol === "file:") return parseFolder(url, text);
  if (url?.protocol === "s3:") return parseBucket(url);
  throw wrong("must begin with file:/// or s3://, such as file:///srv/blobs or s3://bucket/prefix");
}

function parseFolder(url: URL, text: string): FolderLocation {
  if (!/^file:\/\/\//i.test(text)) throw wrong("must have three slashes after file:, as in file:///srv/blobs");
  if (url.search !== "" || url.hash !== "")
    throw wrong("must name a folder without ? and #; write them as %3F and %23");
  try {
    return { kind: "folder", folder: fileURLToPath(url) };
  } catch (cause) {
    throw wrong("must name a folder by its absolute path, as in file:///srv/blobs", cause);
  }
}

function parseBucket(url: URL): BucketLocation {
  if (url.username !== "" || url.password !== "")
    throw wrong("must not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (url.port !== "" || !bucketName.test(url.hostname))
    throw wrong(
      "must name a bucket after s3://: 3 to 63 of a-z 0-9 . -; the server's address is the parameter endpoint",
    );
  if (url.hash !== "") throw wrong("must not have a part after #");
  const known = ["endpoint", "region", "pathStyle"];
  const names = [...url.searchParams.keys()];
  if (names.some((name) => !known.includes(name)) || new Set(names).size < names.length)
    throw wrong(`must have no parameters but ${known.join(", ")}, each once`);
  const endpoint = parseEndpoint(url.searchParams.get("endpoint"));
  const region = url.searchParams.get("region") ?? (endpoint === null ? null : "us-east-1");
  if (region !== null && !/^[a-z0-9-]{1,64}$/.test(region)) throw wrong("must have a region such as us-east-1");
  const pathStyle = url.searchParams.get("pathStyle") ?? String(endpoint !== null);
  if (!["true", "false"].includes(pathStyle)) throw wrong("must have pathStyle=true or pathStyle=false");
  return {
    kind: "bucket",
    bucket: url.hostname,
    prefix: parseKeyPrefix(url.pathname),
    endpoint,
    region,
    forcePathStyle: pathStyle === "true",
  };
}

function parseKeyPrefix(path: string): string {
  const prefix = path.replace(/^\/|\/$/g, "");
  if (prefix === "") return "";
  try {
    return parsePrefix(`${prefix}/`);
  } catch (cause) {
    throw wrong("must have a prefix of A-Z a-z 0-9 . _ - with single slashes, as in s3://bucket/lectern/blobs", cause);
  }
}

function parseEndpoint(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  const plain = url && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
  if (!plain || url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw wrong("must have an endpoint such as https://s3.example.com:9000, without credentials and path");
  return url.origin;
}

function wrong(message: string, cause?: unknown): Failure {
  return new Failure("validation_error", message, cause === undefined ? {} : { cause });
}
