import * as z from "zod";
import { listRepositories } from "../../domain/owner-repositories.ts";
import { jsonAnswer } from "../answers.ts";
import { addressText, parseOwner } from "../forms/fields.ts";
import { credentialId } from "../forms/form.ts";
import { route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";

/** A repository that can be added, as the answer has it. */
export const listedSchema = z
  .object({
    address: z.string().describe("Its address, for a submission."),
    libraryName: z.string().describe("The ID that its library would have."),
    library: z.string().nullable().describe("ID of the library that reads it; null: none that the key sees."),
    description: z.string().describe("Its description on the host."),
    defaultBranch: z.string().nullable().describe("Default branch; null: unknown, or it is empty."),
    bytes: z.int().nullable().describe("Size on the host, with its history; null: the host does not say."),
    licence: z.string().nullable().describe("SPDX identifier of its licence; null: the host does not say."),
    archived: z.boolean().nullable().describe("It is archived or disabled."),
    fork: z.boolean().nullable().describe("It is a fork."),
    private: z.boolean().nullable().describe("Not everybody may read it."),
    pushedAt: time("Last push or change; null: the host does not say.").nullable(),
  })
  .meta({ id: "ListedRepository" });

/** The repositories of an owner on a Git host. */
export const repositoryRoutes: readonly Route[] = [
  route({
    path: "/api/v2/repositories",
    method: "GET",
    scope: "submit",
    limit: "submission",
    about: {
      operationId: "listRepositories",
      tag: "Submissions",
      summary: "List the repositories of an owner on a Git host",
      description:
        "Asks the host's API: GitHub, GitLab with subgroups, Bitbucket, Gitea, Forgejo or Azure DevOps. Up to 1,000, of a key that is limited to some libraries those whose IDs it may add.",
    },
    parameters: z.object({
      owner: addressText.describe(
        "Address of a user, organization, group, workspace or project, such as https://github.com/acme.",
      ),
      credential: credentialId
        .optional()
        .describe(
          "ID of a shared credential for the host: with that of a GitHub App, the repositories that it may read.",
        ),
    }),
    answers: success(
      z.object({
        repositories: z.array(listedSchema),
        complete: z.boolean().describe("False: the owner has more."),
      }),
    ),
    failures: [
      "credential_not_found",
      "address_not_allowed",
      "source_not_found",
      "source_refused",
      "source_invalid",
      "source_unreachable",
    ],
    async handler({ caller, parameters: { owner: given, credential }, options }) {
      const owner = parseOwner(given, options.settings.gitHosts);
      await options.checkUrl(new URL(owner.url));
      const { repositories, isComplete } = await listRepositories(options.ports, caller, owner, credential);
      return jsonAnswer({
        repositories: repositories.map(({ pushedAt, ...one }) => ({
          ...one,
          pushedAt: pushedAt === null ? null : iso(pushedAt),
        })),
        complete: isComplete,
      });
    },
  }),
];
