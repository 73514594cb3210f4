/** Turning on and off, removing, changing and extending; how many and how much. */
export const general = `
  turn * off | switch off | opt out of > disable
  turn * on | switch on | opt in > enable
  shut up > silent quiet suppress
  shut down > shutdown graceful close
  get rid of > remove delete disable
  keep * from > prevent block
  stop * from > prevent disable block
  clean up > cleanup remove
  look up > search lookup
  find out > show list check
  figure out > detect determine debug
  how many > limit count number
  how much > limit size
  too many > limit maximum
  too long > timeout limit
  too big > size limit large
  too large | file size > size limit
  too much | how many users > limit
  fall back > fallback default
  fill in > populate default
  leave * out > exclude ignore omit
  plug in > plugin integrate
  end up > result
  pass * through > forward
  put off > defer delay
  carry on | go on > continue
  blow up > error overflow
  break up | split up | into several | break into > split
  cut off > truncate limit
  cut down > reduce
  opt out > disable telemetry
  show up > display appear list
  hang up > close
  write down > save log
  only some > filter partial
  only certain | narrow down > filter
  only when > condition
  more than one > multiple
  on the fly > runtime dynamic
  by hand > manual
  behind the scenes | under the hood > internal
  from scratch > create new start
  get started > start quickstart introduction
  step by step > tutorial guide
  look for > search
  search for > find
  send back > response return reply
  try out > preview experimental
  comes from | came from | where does * come from > source origin
  where * defined > definition
  do not want > disable exclude
  don't want > disable exclude ignore
  stop * asking > confirm permission automatic
  stop showing > disable hide suppress
  stop complaining > ignore suppress disable
  complain about > warning error
  leave * alone > ignore exclude skip
  take * out > remove exclude
  throw * away > delete discard
  strip out > remove
  filter out > exclude filter
  rule out > exclude
  own rules > custom plugin rule
  own command > custom plugin
  own types > custom type schema
  swap out > replace custom
  swap * for > replace migrate
  replace * with > override
  instead of the default > override custom
  plug * into > integrate plugin
  build on top of | on top of > extend
  tie * together | glue * together > integrate compose
  put * together > compose combine
  fine tune > configure
  see what > inspect show list
  see which > list show
  see why > debug explain verbose
  see how | look inside | look into > inspect
  see all | list of all > list
  show me > list print
  what happens > behavior event
  tell apart > difference distinguish
  tell whether | tell if | know if | know whether > check detect
  check whether > detect validate
  check if > detect validate exist
  know when | do something when | notified when > event hook
  find all > list search
  how far > progress
  how big | how large > size
  at runtime > dynamic
  without writing > generate automatic
  without typing > automatic alias default
  write less > shorthand alias
  less code > shorthand helper
  less boilerplate > shorthand generate
  avoid repeating | repeat myself > reuse shared default
  in one place > shared global central
  used everywhere > global shared
  available everywhere > global context
  available in all > global
  pass * down > context inject
  get * into > inject pass
  attach * to > decorate context
`;
