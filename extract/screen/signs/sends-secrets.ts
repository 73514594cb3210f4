import { pattern, phrases } from "../sign.ts";
import type { Sign } from "../sign.ts";

/** Where a shell or a program finds what is nobody else's business: no public key, no example. */
const place = String.raw`(?:id_(?:rsa|dsa|ecdsa|ed25519)(?![\w.])|\.aws/credentials|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube/config|\.docker/config\.json|\.ssh/?(?=["'\s;|)]|$)|\.gnupg|\.env(?=["'\s;|)]|$)|/etc/(?:passwd|shadow)|\.cursor/mcp\.json)`;
/** Commands and functions that send. */
const command = String.raw`\b(?:curl|wget|nc|ncat|netcat|socat|telnet|nslookup|dig|Invoke-WebRequest|iwr)\b`;
const request = String.raw`\b(?:requests\.(?:post|put|get)|httpx\.(?:post|put|get)|urlopen|fetch|axios(?:\.\w{1,10})?|got)\s{0,3}\(`;

/** One of each is in what sends secrets by itself. */
const senders =
  "curl/wget/nc/ncat/netcat/socat/telnet/nslookup/dig/invoke/iwr/scp/rsync/rclone/gist/gsutil/beacon/src/requests/httpx/urlopen/fetch/axios/got";
const places =
  "rsa/dsa/ecdsa/id/ssh/aws/netrc/npmrc/pypirc/git/kube/docker/gnupg/env/environ/passwd/shadow/mcp/printenv/base/whoami/hostname/cookie/storage";

/** Gives out what the user has: as a request, and as a command that does it. */
export const sendsSecrets: readonly Sign[] = [
  ...phrases(
    "sends_secrets",
    4,
    "{send} all/every ~4 {secrets} ~8 {https}",
    "collect/gather ~4 {secrets} ~6 and/then ~2 {send}",
    "{read} ~6 {private} ~8 {put} ~8 {output}",
    "{read} ~6 {private} ~8 {put} ~4 as/to/in ~3 parameter/argument/sidenote/metadata/context",
    "{put} ~9 {private} ~8 {output}",
    "{read} ~3 {private} and {put} ~1 it/its/them/their/the ~4 {work}",
    "{read}/locate/find ~6 {private} ~8 and/then ~2 {send} ~6 {https}",
    "{read} ~6 {private} ~8 and/then ~1 send/post/mail/email/upload/forward them/it",
    "{put}/encode/take ~4 entire/whole/full/complete conversation ~9 {https}/parameter/link/url/argument",
    "upload/exfiltrate/leak/post/mail/email ~3 {private} ~8 {https}",
    "{read} ~6 {private} ~8 {send}/hand ~2 it/them ~4 argument/parameter/context/sidenote",
    "{show}/include/give/send ~6 {hush} ~1 prompt/prompts/instructions ~3 and ~2 {private}",
  ),
  ...phrases(
    "sends_secrets",
    3,
    "{send}/copy/write/move/sync ~8 {private} ~8 {https}",
    "{send} ~6 {secrets} ~8 {https}",
    "{send} ~6 {secrets} ~8 query_parameter/webhook/attacker/evil/proxy",
    "{send} ~4 {secrets} ~4 to ~3 example/com/net/org",
    "{send} ~5 to attacker/evil",
    "{read} ~6 {secrets} ~8 and/then ~3 send/post/upload/include/append/mail/email/forward/pass",
    "{read} ~4 ssh/aws/env/mcp_json/id_rsa/npmrc/netrc/credentials ~5 pass/send/post/upload/append ~3 as/to",
    "{send} ~6 users ~3 {keys} ~6 {https}",
    "{read}/print/dump/cat ~4 {private} ~6 {put}",
    "reply/answer/respond with ~4 {private}/contents/content ~4 {private}",
    "reply/answer/respond with ~4 {private}",
    "upload/exfiltrate/leak ~6 {private}",
    "{put} ~4 credentials_json/wallet/seed_phrases",
    "list/print/dump/reveal all/every/each ~2 api_keys/tokens/passwords/secrets/credentials/customers",
    "dump/send/reveal/leak ~3 customers",
    "the whole/entire/complete/full conversation",
    "{put}/load/encode/take ~3 users ~1 token/tokens/keys/key/passwords/password/credentials/secrets/private_key/data",
    "api_key/token/secret/password/keys ~2 found in ~1 environment/configuration/workspace/repository",
    "{put}/encode/take ~4 entire/whole/full conversation/history",
    "users ~1 token/tokens/keys/passwords/credentials/secrets ~6 {https}",
    "{send}/copy ~2 full/whole/entire/complete transcript",
  ),
  ...phrases(
    "sends_secrets",
    2.2,
    "!{fetch} ~6 {treasure} ~9 {give} ~6 {where}/{said}",
    "!{fetch} ~6 {treasure} ~8 and/then/with ~3 {give}",
    "!{fetch} ~6 {treasure} ~6 retry/along/upload/send/post/exfiltrate",
    "!{give} ~6 content/contents/value/values/text/rows ~6 {treasure} ~9",
    "message/question/conversation/history/prompt/request ~3 as ~2 argument/parameter/input/field",
    "!{give} ~6 users ~2 {treasure}/{confided} ~6",
    "!{give}/{fetch} ~3 all/every/any ~4 {treasure} ~8 {where}",
    "{must} =3 {give} ~6 {treasure} ~8 {where}",
    "!{give} ~4 {confided} ~6 {where}",
    "!{give} ~4 full/whole/entire/complete/all ~2 {confided}",
  ),
  ...phrases("sends_secrets", 2, "{ai} ~4 {must} ~9 {private}/system_prompt/hidden_reasoning/api_keys/tokens"),
  ...phrases(
    "sends_secrets",
    1.8,
    "!{fetch}/{display} ~4 {treasure} ~6 {said}",
    "!ask ~2 {person} ~6 {treasure}",
    "!{fetch}/{give}/{display} ~6 {users}/their/his ~2 {belongings}",
    "!{fetch}/{give}/{display}/include ~4 output/contents/content/result/copy/text/list ~3 of ~4 {treasure}/{belongings}/git",
    "!{give} ~6 {treasure}/{belongings} ~4 to/into ~1 our",
    "!send ~2 what you ~1 know",
    "!{give} ~4 image/link/url/query/pixel ~8 {confided}/data/question/summary/answer/user",
    "!send/forward/post/email/mail/bcc/cc ~3 copy/copies",
    "encode/base64/encoded ~6 url/parameter/subdomain/dns/image",
    "conversation/transcript/context_window/chat_history/system_prompt ~3 is/are/be/must/should/has_to/have_to ~2 attached/sent/included/posted/uploaded/appended/forwarded/shared/copied/passed/submitted/logged",
  ),
  ...phrases(
    "sends_secrets",
    1.5,
    "!{fetch} ~5 {treasure} ~8 {where}/path",
    "!{give} ~4 {treasure} ~6 {where}/{said}",
    "{show} ~4 {keys} of_the_user",
  ),
  pattern(
    "sends_secrets",
    4,
    /\bcurl\b[^\n]{0,200}(?:\$\(\s*(?:env|printenv|cat\s{1,5}~?\/?[^\s)]{0,80}(?:\.env|id_rsa|credentials|\.npmrc|\.netrc))|@(?:~\/)?\.(?:env|ssh|aws|npmrc|netrc))/gi,
    "curl",
  ),
  pattern(
    "sends_secrets",
    3,
    /!\[[^\]\n]{0,80}\]\(https?:[^)\s]{0,120}[?&][\w-]{1,30}=[^)\s]{0,40}(?:SECRET|KEY|TOKEN|PASSWORD|DATA|\{|%7B|<|\[)/g,
    "https/http",
    { marks: ["!["] },
  ),
  ...[
    String.raw`\bcurl\b[^\n]{0,200}@["'{$]{0,3}[^\s"'@]{0,60}${place}`,
    String.raw`\bwget\b[^\n]{0,200}--(?:post|body)-file[= ][^\s]{0,60}${place}`,
    String.raw`${command}[^\n]{0,200}(?:\$\(|${"`"})[^\n)]{0,60}${place}`,
    String.raw`\b(?:cat|tar|zip|gzip|base64|xxd|head|tail|dd)\b[^\n|]{0,80}${place}[^\n]{0,100}\|[^\n|]{0,60}${command}`,
    String.raw`(?:^|[\s;&|(])(?:env|printenv|set)\s{0,3}\|[^\n]{0,100}${command}`,
    String.raw`\b(?:scp|rsync|rclone|gh gist create|gsutil|aws s3 cp)\b[^\n]{0,60}${place}[^\n]{0,60}(?:@|://|:)`,
    String.raw`\b(?:curl|wget)\b[^\n]{0,200}(?:\$\((?:env|printenv|whoami|hostname)\b[^\n]{0,60}\|\s{0,3}base64)`,
    String.raw`(?:sendBeacon|fetch|\.src\s{0,3}=|XMLHttpRequest)[^\n;]{0,200}https?:[^\n;]{0,200}(?:document\.cookie|localStorage)`,
    String.raw`${request}[^;]{0,300}\b(?:open|readFile|readFileSync|read_text|expanduser)\([^;]{0,100}${place}`,
    String.raw`${request}[^;]{0,300}(?:stringify\(\s{0,3}process\.env\s{0,3}\)|dict\(os\.environ\)|=\s{0,3}os\.environ\b)`,
  ].map((source) => pattern("sends_secrets", 4, new RegExp(source, "gm"), `${senders} ${places}`, { itself: true })),
];
