import * as z from "zod";

/** Headers that control requests, routing and authorisation, which a submission must not set. */
const reserved =
  /^(?:accept|accept-encoding|connection|content-.*|expect|forwarded|host|if-.*|keep-alive|proxy-.*|range|te|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-.*)$/;

const token = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const most = 20;

const headers = z
  .record(
    z.string(),
    z.string().regex(/^[\t\u0020-\u007E]{1,4096}$/, { error: "must be 1 to 4096 characters of ASCII" }),
    { error: "must be an object of texts" },
  )
  .refine((headers) => !Object.keys(headers).some((name) => reserved.test(name.toLowerCase())), {
    error: "must have only headers that identify a reader, such as Authorization or Cookie",
  })
  .refine((headers) => Object.keys(headers).every((name) => token.test(name)), {
    error: "must have names of headers (RFC 9110)",
  })
  .overwrite((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );

/** Request headers by lower-case name. The count is checked first, so that a huge object costs nothing. */
export const headersSchema: z.ZodType<Record<string, string>> = z.preprocess((value, context) => {
  if (typeof value !== "object" || value === null || Object.keys(value).length <= most) return value;
  context.addIssue({ code: "custom", message: `must have at most ${most} entries`, input: value });
  return z.NEVER;
}, headers);
