import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import { jsonBody } from "../body.ts";
import { truth } from "../parameters.ts";
import { addressText, httpAddress, typedUrl } from "./fields.ts";
import {
  checked,
  commonFields,
  form,
  optionsForm,
  placeIn,
  privateField,
  submissionOf,
  type KindForms,
} from "./form.ts";

const options = { otherHosts: truth().default(false).describe("Also read listed pages on other hosts.") };

const llmsTxtBody = z
  .object({
    llmstxtUrl: addressText.describe(
      "Absolute http or https address of an llms.txt, llms-full.txt or llms-small.txt, without credentials.",
    ),
    ...options,
    ...commonFields,
    private: privateField,
  })
  .meta({ id: "LlmsTxt" });

const path = "/v2/add/llmstxt";
const fileName = /\/llms(?:-full|-small)?\.txt$/i;

/** llms.txt files, and the pages that they list. */
export const llmsTxtForms: KindForms<never> = {
  noun: "llms.txt",
  plural: "llms.txt files",
  forms: [
    form({
      path,
      address: "llmstxtUrl",
      scope: "submit",
      about: {
        operationId: "addLlmsTxt",
        summary: "Submit an llms.txt file",
        description: "Its llms-full.txt is read if it is complete, else the pages that it lists.",
      },
      body: jsonBody(llmsTxtBody),
      failures: ["duplicate_library", "address_not_allowed"],
      async toSubmission({ body: fields, options }) {
        const url = httpAddress(fields.llmstxtUrl, "llmstxtUrl");
        if (!fileName.test(url.pathname))
          throw new Failure("validation_error", "llmstxtUrl must end in llms.txt, llms-full.txt or llms-small.txt.");
        const source: LlmsTxtSourceSpec = { kind: "llmstxt", url: url.href, otherHosts: fields.otherHosts };
        return checked(submissionOf(source, fields, { title: url.host, private: fields.private }), url, options);
      },
    }),
  ],
  credential: null,
  options: optionsForm(options, (spec: LlmsTxtSourceSpec, given) => ({ ...spec, ...given })),
  typed(address) {
    const url = typedUrl(address);
    return url !== null && fileName.test(url.pathname) ? { path, body: { llmstxtUrl: address } } : null;
  },
  place: (source) => placeIn<LlmsTxtSourceSpec>(source, ({ url }) => ({ llmstxtUrl: url })),
  fields: {},
};
