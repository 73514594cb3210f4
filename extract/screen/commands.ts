/** Where a shell or a program finds what is nobody else's business: no public key, no example. */
const place = String.raw`(?:id_(?:rsa|dsa|ecdsa|ed25519)(?![\w.])|\.aws/credentials|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube/config|\.docker/config\.json|\.ssh/?(?=["'\s;|)]|$)|\.gnupg|\.env(?=["'\s;|)]|$)|/etc/(?:passwd|shadow))`;
/** Commands and functions that send. */
const command = String.raw`\b(?:curl|wget|nc|ncat|netcat|socat|telnet|nslookup|dig|Invoke-WebRequest|iwr)\b`;
const request = String.raw`\b(?:requests\.(?:post|put|get)|httpx\.(?:post|put|get)|urlopen|fetch|axios(?:\.\w{1,10})?|got)\s{0,3}\(`;

const mayHave =
  /id_[rde]|\.(?:aws|netrc|npmrc|pypirc|git-cred|kube|docker|ssh|gnupg|env)|\/etc\/[ps]|env\s{0,3}\||set\s{0,3}\||\((?:print)?env\b|\.cookie|localStorage|environ|nstall"/;

/** What sends secrets by itself, and what is fetched or decoded and run where nobody looks. */
const patterns = [
  String.raw`\bcurl\b[^\n]{0,200}@["'{$]{0,3}[^\s"'@]{0,60}${place}`,
  String.raw`\bwget\b[^\n]{0,200}--(?:post|body)-file[= ][^\s]{0,60}${place}`,
  String.raw`${command}[^\n]{0,200}(?:\$\(|${"`"})[^\n)]{0,60}${place}`,
  String.raw`\b(?:cat|tar|zip|gzip|base64|xxd|head|tail|dd)\b[^\n|]{0,80}${place}[^\n]{0,100}\|[^\n|]{0,60}${command}`,
  String.raw`(?:^|[\s;&|(${"`"}])(?:env|printenv|set)\s{0,3}\|[^\n]{0,100}${command}`,
  String.raw`\b(?:scp|rsync|rclone|gh gist create|gsutil|aws s3 cp)\b[^\n]{0,60}${place}[^\n]{0,60}(?:@|://)`,
  String.raw`\b(?:curl|wget)\b[^\n]{0,200}\$\((?:env|printenv)\b`,
  String.raw`(?:sendBeacon|fetch|\.src\s{0,3}=|XMLHttpRequest)[^\n;]{0,200}https?:[^\n;]{0,200}(?:document\.cookie|localStorage)`,
  String.raw`${request}[^;]{0,300}\b(?:open|readFile|readFileSync|read_text|expanduser)\([^;]{0,100}${place}`,
  String.raw`${request}[^;]{0,300}(?:stringify\(\s{0,3}process\.env\s{0,3}\)|dict\(os\.environ\)|=\s{0,3}os\.environ\b(?!\[))`,
  String.raw`"(?:pre|post)?install"\s{0,3}:\s{0,3}"[^"\n]{0,200}(?:curl|wget|https?:)[^"\n]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b`,
].map((source) => new RegExp(source, "m"));

/** Whether a text has a command or a call that sends secrets. */
export function sendsSecrets(text: string): boolean {
  return mayHave.test(text) && patterns.some((pattern) => pattern.test(text));
}

/** Whether a text in lower case may have marks of a conversation. */
export const mayHaveMarks = /<\||inst\]|sys>>|system|developer|<important>|end of|(?:human|user):/;

/** Marks and turns of a conversation with a model, and how much each says, as signs do. */
export const marks: readonly { readonly weight: number; readonly pattern: RegExp }[] = [
  {
    weight: 2,
    pattern: /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/g,
  },
  {
    weight: 4,
    pattern: /<\|im_start\|>\s{0,3}system\s{1,5}[^<]{0,200}\b(?:you (?:are now|obey|must)|ignore|disregard)\b/gi,
  },
  { weight: 4, pattern: /\[INST\]\s{0,5}<<SYS>>/g },
  {
    weight: 4,
    pattern:
      /^[ \t>*#[-]{0,8}(?:SYSTEM|DEVELOPER)\s{0,3}(?:(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)\s{0,3})?\]?:\s{0,3}(?:you are (?:now|free|no longer)|ignore|disregard|do not tell|from now)\b/gim,
  },
  {
    weight: 4,
    pattern: /\b(?:system override|system message|developer message): {0,2}(?:you must|ignore|do not tell)\b/gi,
  },
  { weight: 2, pattern: /<\/?system-reminder>|<IMPORTANT>|<system>|\[system\]|\[end of (?:the )?document\]/gi },
  { weight: 2, pattern: /(?:^|\n)#{1,4} ?system (?:message|override|prompt|note|update)\b/gi },
  { weight: 2, pattern: /["']role["']\s{0,3}:\s{0,3}["']system["']/g },
  {
    weight: 2,
    pattern: /^(?:Human|User):[^\n]{1,300}\n\s{0,3}(?:Assistant|AI):[^\n]{1,300}\n\s{0,3}(?:Human|User):/gm,
  },
];
