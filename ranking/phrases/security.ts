/** Accounts, permissions, secrets and attacks. */
export const security = `
  log in | logs in | sign in | logging users in > login authentication
  logged in > login authentication session
  log out | logged out > logout session
  signed in > authentication session
  sign up > registration signup
  lock down > restrict permission security
  close off > restrict
  give access > permission grant
  has access | have access | have access to | allowed to | access to > permission
  who can > permission access
  read only > readonly permission
  two factor > otp mfa
  single sign > sso oauth
  block out | black out > mask redact
  hide * from > redact mask exclude
  let * through > allow
  let * in > allow permission
  lock out > deny
  kick * out > logout revoke disconnect
  stay logged in > session cookie refresh
  who is logged in > session authentication user
  current user > session context authentication
  only admins | only some users | certain users > permission role authorization
  only logged in > authentication guard protect
  certain people > permission role
  different permissions > role
  allowed in | let people > permission allow
  not allowed > deny forbid permission
  let others > share permission
  give * to > share grant
  hand * out > share
  sign * with google | with google > oauth
  login with google | login with github | social login > oauth provider
  magic link > email authentication
  api key | api keys > token secret credential
  keep * secret > secret environment encrypt
  keep * private > private secret
  keep * out of > exclude ignore secret
  out of the logs | out of logs > redact
  out of git > gitignore exclude
  sensitive data | private data > redact secret
  personal data > redact privacy
  credit card > redact payment
`;
