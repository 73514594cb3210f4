import { formOf } from "../support/form.ts";

/** The headers and body of a request that uploads a file in the field `openapiFile`. */
export async function uploadRequest(
  file: Parameters<typeof formOf>[1],
  fields: Readonly<Record<string, string>> = {},
  field = "openapiFile",
) {
  const { bytes, type } = await formOf(field, file, fields);
  const headers = { "content-type": type, "content-length": String(bytes.length) };
  return { headers, readBody: async () => bytes };
}
