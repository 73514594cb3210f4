import { day } from "../../../domain/days.ts";
import type { FetchClient } from "../../../sources/lib/fetch/client.ts";
import type { Json } from "../../../extract/json.ts";
import type { Repository } from "./repositories.ts";

/**
 * Invented answers of a host's API with the figures of a case, by its published schema: the repository, then its owner if the API has
 * one.
 */
function answersOf({ host, name, figures }: Repository, now: number): readonly Json[] {
  const at = (days: number): string => new Date(now - days * day).toISOString();
  const { stars, forks = 0, followers = 0, ownerDays = 0, days = ownerDays, changed, isFork = false } = figures;
  const { isArchived = false, repositories = 1, profile = 1, homepage = "" } = figures;
  const login = name.split("/")[0] ?? "";
  /** A profile with the first fields filled in. */
  const filled = (fields: readonly string[]): Json =>
    Object.fromEntries(fields.map((field, place) => [field, place < profile * fields.length ? "filled in" : ""]));
  if (host === "github")
    return [
      {
        full_name: name,
        stargazers_count: stars,
        forks_count: forks,
        fork: isFork,
        archived: isArchived,
        created_at: at(days),
        pushed_at: at(changed),
        homepage,
      },
      {
        login,
        followers,
        public_repos: repositories,
        created_at: at(ownerDays),
        ...filled(["name", "blog", "email", "bio"]),
      },
    ];
  if (host === "gitlab")
    return [
      {
        id: 1,
        path_with_namespace: name,
        star_count: stars,
        forks_count: forks,
        archived: isArchived,
        created_at: at(days),
        last_activity_at: at(changed),
        ...(isFork && { forked_from_project: { id: 2 } }),
      },
    ];
  if (host === "bitbucket")
    return [
      {
        uuid: "{1}",
        full_name: name,
        created_on: at(days),
        updated_on: at(changed),
        website: homepage,
        ...(isFork && { parent: { uuid: "{2}" } }),
      },
    ];
  return [
    {
      id: 1,
      full_name: name,
      stars_count: stars,
      forks_count: forks,
      fork: isFork,
      archived: isArchived,
      created_at: at(days),
      updated_at: at(changed),
      website: homepage,
    },
    {
      login,
      followers_count: followers,
      created: at(ownerDays),
      ...filled(["full_name", "website", "description"]),
    },
  ];
}

/** A client that gets these answers; a silent host answers 503. */
export function inventedHost(repository: Repository, now: number): Pick<FetchClient, "request"> {
  const answers = [...answersOf(repository, now)];
  return {
    async request(url) {
      const text = JSON.stringify(answers.shift() ?? {});
      return {
        status: repository.isSilent === true ? 503 : 200,
        headers: {},
        url,
        body: (async function* () {
          yield new TextEncoder().encode(text);
        })(),
        text: async () => text,
        discard: () => {},
      };
    },
  };
}
