import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import type { OpenApiSourceSpec } from "../../domain/kinds/index.ts";
import { jsonBody } from "../body.ts";
import { multipartBody } from "../multipart.ts";
import { addressText, httpAddress, typedUrl } from "./fields.ts";
import {
  checked,
  commonFields,
  form,
  placeIn,
  privateField,
  submissionOf,
  uploadFields,
  type KindForms,
} from "./form.ts";

const urlBody = z
  .object({
    openApiUrl: addressText.describe("Absolute http or https address of an OpenAPI description, without credentials."),
    ...commonFields,
    private: privateField,
  })
  .meta({ id: "OpenApi" });

const paths = { url: "/v2/add/openapi", upload: "/v2/add/openapi-upload" };
const fileEnding = /\.(?:json|ya?ml)$/i;
const maxFile = 10_000_000;

/** OpenAPI descriptions, at an address or uploaded. */
export const openApiForms: KindForms<never> = {
  noun: "API description",
  plural: "API descriptions",
  forms: [
    form({
      path: paths.url,
      address: "openApiUrl",
      scope: "submit",
      about: {
        operationId: "addOpenApi",
        summary: "Submit an OpenAPI description",
        description: "OpenAPI 3 or Swagger 2, in JSON or YAML. Files on the same host to which it refers are read too.",
      },
      body: jsonBody(urlBody),
      failures: ["duplicate_library", "address_not_allowed"],
      async toSubmission({ body: fields, options }) {
        const url = httpAddress(fields.openApiUrl, "openApiUrl");
        const fileName = url.pathname.slice(url.pathname.lastIndexOf("/") + 1) || url.host;
        const source: OpenApiSourceSpec = { kind: "openapi", url: url.href, fileName };
        return checked(submissionOf(source, fields, { title: url.host, private: fields.private }), url, options);
      },
    }),
    form({
      path: paths.upload,
      scope: "submit",
      about: {
        operationId: "uploadOpenApi",
        summary: "Upload an OpenAPI description",
        description: "It cannot be refreshed: upload it again with `force`.",
      },
      body: multipartBody(
        { openapiFile: { maxBytes: maxFile, description: "The description: .json, .yaml or .yml." } },
        uploadFields,
      ),
      failures: ["duplicate_library", "payload_too_large", "unsupported_media_type"],
      async toSubmission({ body: { fields, files } }) {
        const { name: fileName, bytes } = files.openapiFile;
        if (!fileEnding.test(fileName))
          throw new Failure("validation_error", "openapiFile must be named .json, .yaml or .yml.");
        if (bytes.length === 0) throw new Failure("validation_error", "openapiFile is empty.");
        const source: OpenApiSourceSpec = { kind: "openapi", url: null, fileName };
        const { libraryTitle, ...given } = fields;
        const others = { title: fileName.replace(fileEnding, ""), private: fields.private };
        const submission = submissionOf(source, { ...given, title: libraryTitle }, others);
        return { ...submission, upload: bytes, replaces: fields.force };
      },
    }),
  ],
  credential: null,
  typed(address, isChosen) {
    const url = typedUrl(address);
    // A page may show a description.
    return url !== null && (isChosen || fileEnding.test(url.pathname))
      ? { path: paths.url, body: { openApiUrl: address } }
      : null;
  },
  file: { path: paths.upload, field: "openapiFile", endings: [".json", ".yaml", ".yml"], title: "libraryTitle" },
  place: (source) => placeIn<OpenApiSourceSpec>(source, ({ url }) => (url === null ? null : { openApiUrl: url })),
  fields: {},
};
