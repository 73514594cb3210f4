import { Failure } from "../../domain/failures.ts";
import type { UploadSourceSpec } from "../../domain/kinds/index.ts";
import { documentEndings } from "../../domain/kinds/upload.ts";
import { multipartBody } from "../multipart.ts";
import { form, submissionOf, uploadFields, type KindForms } from "./form.ts";

const path = "/v2/add/upload";
const endings = [...documentEndings, ".zip", ".tar", ".tar.gz", ".tgz"];
const fileEnding = new RegExp(`(?:${endings.map((ending) => ending.replaceAll(".", "\\.")).join("|")})$`, "i");
/** Maximum size of an uploaded file, in bytes. */
export const maxUpload = 50_000_000;

/** Uploaded documents, alone or in an archive. */
export const uploadForms: KindForms<never> = {
  noun: "upload",
  plural: "uploads",
  forms: [
    form({
      path,
      scope: "submit",
      about: {
        operationId: "upload",
        summary: "Upload a document, or an archive of documents",
        description: "It cannot be refreshed: upload it again with `force`.",
      },
      body: multipartBody(
        { file: { maxBytes: maxUpload, description: `A document or an archive of a folder: ${endings.join(" ")}.` } },
        uploadFields,
      ),
      failures: ["duplicate_library", "payload_too_large", "unsupported_media_type"],
      async toSubmission({ body: { fields, files } }) {
        const { name: fileName, bytes } = files.file;
        if (!fileEnding.test(fileName))
          throw new Failure("validation_error", `file must be named ${endings.slice(0, -1).join(", ")} or .tgz.`);
        if (/[\p{Cc}\uFFFD]/u.test(fileName) || fileName.length > 255)
          throw new Failure("validation_error", "file has a name that is too long or not plain. Rename it.");
        if (bytes.length === 0) throw new Failure("validation_error", "file is empty.");
        const source: UploadSourceSpec = { kind: "upload", fileName };
        const { libraryTitle, ...given } = fields;
        const others = { title: fileName.replace(fileEnding, "") || fileName, private: fields.private };
        const submission = submissionOf(source, { ...given, title: libraryTitle }, others);
        return { ...submission, upload: bytes, replaces: fields.force };
      },
    }),
  ],
  credential: null,
  typed: () => null,
  place: () => null,
  file: { path, field: "file", endings, title: "libraryTitle" },
  fields: {},
};
