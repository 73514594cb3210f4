/** Files, databases, records, values and their shapes. */
export const data = `
  back up > backup
  roll back > rollback revert undo
  go back > undo revert previous
  without losing > preserve persist
  make sure > ensure validate require
  double check > verify
  hard coded > literal constant
  bad input | wrong type | match a schema > validation
  user input > validation form
  keep track > state history log
  keep * up to date > update sync refresh
  up to date > update upgrade latest
  out of date > outdated update stale
  out of sync > sync conflict
  in sync > synchronize update
  a subset of > filter select partial
  subset of > filter select
  one file > single bundle
  single file > bundle
  several files > multiple glob
  different files > split module
  into pieces | into smaller | break * into | chop up > split chunk
  join * together > merge concat
  group * together > group
  all at once | in one go > batch bulk
  thousands of | millions of > large bulk performance
  huge amount > large performance
  next page | page by page > pagination cursor
  what changed > diff changelog
  who changed > history audit
  go through | loop over > iterate
  survive a restart > persist durable
  lost when > persist
  lose data > persist backup
  lose * work > persist save
  start over > reset restart
  start again > restart
  local copy > cache offline
  another folder | other folder | different folder | which folder > path directory
  where * stored | where * saved > path directory location
  where * live > location directory
  where to put > structure directory location
  fixed set | set of values > choice enum
  one of several > choice enum union
  either or > union
  may be missing | make * optional > optional default
  can be empty > optional nullable
  not given > default optional
  if nothing | when nothing > default fallback
  fall through > fallback
  any number of > variadic multiple
  extra fields > additional schema strict
  unknown fields > additional strict ignore
  right shape | correct shape > schema validate
  shape of > schema type
  valid json > json structured schema
  json back > structured json output
  typed result > structured schema type
  turn * into > convert transform parse
  make * out of > convert
  convert to > transform serialize
  write out > output save
`;
