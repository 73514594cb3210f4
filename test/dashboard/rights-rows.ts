/**
 * The status of each page and form for each caller, like `test/api/rights-matrix-rows.ts` for operations, with the same callers
 * signed in with their keys. 303 of a page redirects to the sign-in form, 303 of a form to its result. `public` and `private` are
 * libraries, the latter of the teamspace `web`, to which `read`, `submit`, `admin` and `limited` belong.
 */
export const rows = `
                                        none expired revoked read submit admin mobile instance operator limited
GET    /                         any     200  401     401     200  200    200   200    200      200      200
GET    /**                       public  303  401     401     200  200    200   200    200      200      404
GET    /**                       private 303  401     401     200  200    200   404    404      404      404
GET    /-/library                public  303  401     401     200  200    200   200    200      200      404
GET    /-/live                   public  303  401     401     200  200    200   200    200      200      404
GET    /-/answer                 public  200  401     401     200  200    200   200    200      200      404
GET    /-/answer                 private 404  401     401     200  200    200   404    404      404      404
GET    /-/read                   public  200  401     401     200  200    200   200    200      200      404
GET    /-/read                   private 404  401     401     200  200    200   404    404      404      404
GET    /-/add                    any     303  401     401     403  200    200   200    200      200      200
POST   /-/add                    any     303  401     401     403  303    303   303    303      303      403
POST   /-/add/upload             any     303  401     401     403  303    303   303    303      303      403
POST   /-/add/lockfile           any     303  401     401     403  200    200   200    200      200      200
POST   /-/add/packages           any     303  401     401     403  200    200   200    200      200      200
GET    /-/add/repositories       any     303  401     401     403  200    200   200    200      200      200
POST   /-/add/repositories       any     303  401     401     403  200    200   200    200      200      200
GET    /-/connect                any     200  401     401     200  200    200   200    200      200      200
POST   /-/connect                any     303  401     401     403  403    200   200    200      200      200
GET    /-/connect/waiting        any     303  401     401     200  200    200   200    200      200      200
GET    /api/docs                 any     200  401     401     200  200    200   200    200      200      200
GET    /-/api-part              any     200  401     401     200  200    200   200    200      200      200
GET    /-/library/act            public  303  401     401     403  403    403   403    200      200      404
GET    /-/library/act            private 303  401     401     403  403    200   404    404      404      404
POST   /-/library/act            public  303  401     401     403  403    403   403    303      303      404
POST   /-/library/act            private 303  401     401     403  403    303   404    404      404      404
POST   /-/library/release        public  303  401     401     403  403    403   403    200      200      404
POST   /-/library/release        private 303  401     401     403  403    200   404    404      404      404
POST   /-/library/settings       public  303  401     401     403  403    403   403    303      303      404
POST   /-/library/settings       private 303  401     401     403  403    303   404    404      404      404
POST   /-/library/note           public  303  401     401     403  403    303   303    303      303      404
POST   /-/library/note           private 303  401     401     403  403    303   404    404      404      404
GET    /-/library/delete         public  303  401     401     403  403    403   403    200      200      404
GET    /-/library/delete         private 303  401     401     403  403    200   404    404      404      404
POST   /-/library/delete         public  303  401     401     403  403    403   403    303      303      404
POST   /-/library/delete         private 303  401     401     403  403    303   404    404      404      404
GET    /-/unserved/delete        any     303  401     401     403  403    200   200    200      200      200
POST   /-/unserved/delete        any     303  401     401     403  403    303   303    303      303      303
GET    /-/admin                  any     303  401     401     403  403    303   303    303      303      303
GET    /-/admin/keys             any     303  401     401     403  403    200   200    200      200      200
POST   /-/admin/keys             any     303  401     401     403  403    200   200    200      200      403
POST   /-/admin/keys/revoke      any     303  401     401     403  403    400   400    400      400      400
GET    /-/admin/credentials      any     303  401     401     403  403    200   200    200      200      403
POST   /-/admin/credentials      any     303  401     401     403  403    303   303    303      303      403
POST   /-/admin/credentials/test any     303  401     401     403  403    404   404    404      404      403
POST   /-/admin/credentials/delete any   303  401     401     403  403    404   404    404      404      403
GET    /-/admin/manifests        any     303  401     401     403  403    200   200    200      200      403
POST   /-/admin/manifests        any     303  401     401     403  403    403   403    400      400      403
GET    /-/admin/receivers        any     303  401     401     403  403    200   200    200      200      403
POST   /-/admin/receivers        any     303  401     401     403  403    200   200    200      200      403
POST   /-/admin/receivers/test   any     303  401     401     403  403    404   404    404      404      403
POST   /-/admin/receivers/delete any     303  401     401     403  403    404   404    404      404      403
GET    /-/admin/teamspaces       any     303  401     401     403  403    200   200    200      200      403
POST   /-/admin/teamspaces       any     303  401     401     403  403    403   403    303      303      403
POST   /-/admin/teamspaces/delete any    303  401     401     403  403    403   403    409      409      403
POST   /-/admin/teamspaces/rules any     303  401     401     403  403    303   403    303      303      403
GET    /-/admin/policies         any     303  401     401     403  403    200   200    200      200      200
POST   /-/admin/policies         any     303  401     401     403  403    303   403    303      303      403
GET    /-/admin/audit            any     303  401     401     403  403    200   200    200      200      403
GET    /-/admin/system           any     303  401     401     403  403    403   403    200      200      403
GET    /-/sign-in                any     200  200     200     200  200    200   200    200      200      200
POST   /-/sign-in                any     303  303     303     303  303    303   303    303      303      303
POST   /-/sign-out               any     303  303     303     303  303    303   303    303      303      303
GET    /-/oidc/sign-in          any     404  404     404     404  404    404   404    404      404      404
GET    /-/oidc/callback         any     403  403     403     403  403    403   403    403      403      403
GET    /-/oidc/renew            any     303  303     303     303  303    303   303    303      303      303
GET    /-/assets/{hash}/{name}   any     200  200     200     200  200    200   200    200      200      200
GET    /-/**                     any     404  401     401     404  404    404   404    404      404      404
`;

/** The request of a page or form: its path if it has wildcards, and its query or fields. */
export interface Example {
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
  readonly file?: { readonly field: string; readonly name: string; readonly text: string };
}

/** The request of a page or form, by method and path; `library` is the ID of the row's library, `key` has the scope read. */
export function exampleOf(place: string, library: string, key: string): Example {
  const examples: Readonly<Record<string, Example>> = {
    "GET /**": { path: library },
    "GET /-/library": { query: { id: library } },
    "GET /-/live": { query: { id: library } },
    "GET /-/answer": { query: { library, query: "widget" } },
    "GET /-/read": { query: { library } },
    "POST /-/add": { fields: { address: "https://git.example.com/acme/other", kind: "git", do: "add" } },
    "POST /-/add/upload": { file: { field: "file", name: "orders.json", text: "{}" } },
    "POST /-/add/lockfile": { file: { field: "lockfile", name: "package-lock.json", text: "{}" } },
    "POST /-/add/packages": { fields: { packages: "npm kit 1.0.0" } },
    "POST /-/add/repositories": {
      fields: { owner: "https://github.com/acme", address: "https://github.com/acme/one" },
    },
    "GET /-/library/act": { query: { id: library, do: "publish" } },
    "POST /-/library/act": { fields: { id: library, do: "publish" } },
    "POST /-/library/release": { fields: { id: library, do: "release", passage: "s3" } },
    "POST /-/library/settings": { fields: { id: library, shown: '{"title":""}', title: "Renamed" } },
    "GET /-/library/delete": { query: { id: library } },
    "POST /-/library/delete": { fields: { id: library, typed: library } },
    "POST /-/admin/keys": { fields: { name: "ci", scopes: "read" } },
    "POST /-/admin/credentials": {
      fields: { kind: "git", name: "ci", host: "git.example.com", "data.token": "secret" },
    },
    "POST /-/admin/keys/revoke": { fields: { id: "none" } },
    "POST /-/admin/credentials/test": { fields: { id: "none" } },
    "POST /-/admin/credentials/delete": { fields: { id: "none" } },
    "POST /-/library/note": { fields: { id: library, text: "Ours." } },
    "POST /-/admin/receivers": { fields: { url: "https://chat.example.com/lectern", events: "library.failed" } },
    "POST /-/admin/receivers/test": { fields: { id: "none" } },
    "POST /-/admin/receivers/delete": { fields: { id: "none" } },
    "POST /-/admin/teamspaces": { fields: { id: "new" } },
    "POST /-/admin/teamspaces/delete": { fields: { id: "web" } },
    "POST /-/admin/teamspaces/rules": { fields: { id: "web", rules: "Answer in English." } },
    "POST /-/admin/policies": { fields: { teamspace: "web", mode: "quality" } },
    "POST /-/sign-in": { fields: { key } },
    "GET /-/assets/{hash}/{name}": { path: "/-/assets/any/style.css" },
    "GET /-/**": { path: "/-/nope/nope" },
  };
  return examples[place] ?? {};
}
