import { cutAtWord, toSentences } from "./sentences.ts";

/** Maximum length of a phrase, in characters. */
const maxLength = 80;

const sayingNothing =
  /^(?:(?:see )?(?:for )?(?:an? )?examples?|here(?:'s|’s| is| are) .{0,30}example.*|e\.g|output|usage(?: example)?|note|tip|info|warning|danger|important|or|and|result|then|(?:for|as an) example|(?:like|such as) (?:this|so|that|these)|as follows|the following|code|syntax)$/i;

/** True for words that do not describe code. */
export function isEmptyPhrase(words: string): boolean {
  return words === "" || sayingNothing.test(words);
}

/**
 * A phrase for what the code does, from its lead-in: "install it" for "To install it, run:". "" if the lead-in says nothing by itself,
 * such as "To do so:" or "This is useful for:".
 */
export function phraseOf(description: string): string {
  const sentences = toSentences(description);
  // A lead-in ends in a colon, and the sentences before it may describe the code; otherwise the first sentence does.
  const isLead = description.endsWith(":");
  for (const [index, text] of (isLead ? sentences.toReversed() : sentences).entries()) {
    const phrase = phraseIn(withoutEnd(withoutEnd(text).replace(pointing, "")));
    if (phrase !== "" && (index === 0 || !isLead || phrase.split(" ", 5).length > 3)) return phrase;
    if (index > 1) break;
  }
  return "";
}

function withoutEnd(text: string): string {
  return text.replace(/(?<![\s:;,.!…])[\s:;,.!…]+$/, "");
}

/** Words that point at the code below. */
const pointing =
  / (?:as follows|(?:(?:(?:will|would|should|might|may|could|can) )?looks? )?like (?:this|so)|as (?:shown |in the example )?below|(?:shown )?below|(?:in|with) the following(?: (?:way|example|code|command))?)$/i;

function phraseIn(sentence: string): string {
  if (isEmptyPhrase(sentence)) return "";
  let rest = sentence.replace(filler, "");
  // An opening and a purpose may come in either order.
  for (let count = 0; count < 3; count++) {
    const purpose = /^(?:in order )?to ([^,]{3,80}?)(?:$|, (.*))/i.exec(rest);
    if (purpose !== null) {
      const [, aim = "", main = ""] = purpose;
      if (!isEmpty(aim)) return cutAtClause(aim, maxLength);
      rest = main;
      continue;
    }
    const shorter = strip(rest);
    if (shorter === rest) break;
    rest = shorter;
  }
  if (rest.length > maxLength || subordinate.test(rest)) rest = strip(rest.replace(leading, ""));
  return isEmptyPhrase(rest) || isEmpty(rest) || isOpen(rest) ? "" : cutAtClause(rest, maxLength);
}

/** A clause before the main clause. */
const leading =
  /^(?:if|when|whenever|while|as|because|since|like|unlike|after|before|once|in|inside|with|within|by|for|from|given|although|unless|instead|without|on|at|due|depending|besides|under|thus|here) [^,()]{2,150}, (?:then )?(?=.{12})/i;
const subordinate = /^(?:if|when|whenever|while|because|although|unless|once|since|whether) /i;

/** Words that link a sentence to the one before it. */
const filler =
  /^(?:for (?:example|instance)|in (?:this|that|the following) (?:case|example)|in addition|then|next|now|so|first|second|third|also|however|instead(?! of)|similarly|alternatively|additionally|finally|lastly|therefore|otherwise|moreover|furthermore|optionally|note that|and|but|or|again|simply|just|please|likewise|conversely|in contrast|equivalently),? (?=.{8})/i;

const openings: readonly RegExp[] = [
  /^(?:you|we)(?:'ll|’ll) (?=(?!need|have|want)\w)/i,
  /^(?:you|we|one|users?|developers?)(?:'ll|’ll)?(?: (?:can|could|may|might|must|should|will|would|need|needs|have|has|want|wish|are going|are able|want to be able)){1,2}(?: to)? (?:(?:also|now|then|simply|just|easily|first|even|optionally) )?(?=\w)/i,
  /^let(?:'s|’s| us) (?:(?:also|now|then|first) )?(?=\w)/i,
  /^it(?:'s|’s| is) (?:also )?possible to (?=\w)/i,
  /^(?:run|use|execute|enter|type|see|check out|try|issue|call|copy|invoke|paste) (?:the|this) (?:[\w-]{1,20} ){0,3}?(?:code|commands?|code snippet|snippet|script|example)(?: below| in \w{1,12} \w{1,20})? to (?=[a-z])/i,
  /^(?:in )?(?:the|this) (?:(?:following|next|above|below|simple|basic|minimal|complete) ){0,2}(?:example|code|snippet|code snippet|command|script|sample|section)(?: below| above)? (?:shows?|demonstrates?|illustrates?|describes?|explains?|uses?)(?: (?:you )?how to)? (?=\w)/i,
  /^(?:the|this) (?:(?:following|next|above|below|simple|basic|minimal|complete) ){0,2}(?:example|code|snippet|code snippet|command|script|sample)(?: below| above)? (?:will )?(?=[a-z]+s )/i,
  /^(?:this|it|that|which) means (?:that )?(?=\w)/i,
  /^(?:this|it|that|which) (?:then |also |now )?(?:will (?:also )?(?=[a-z]{3,} \S{2})|(?=(?!is\b|was\b|has\b|does\b|works\b)[a-z]+[^\Ws]s \S))/i,
  /^(?:here(?:'s|’s| is| are)|there(?:'s|’s| is| are)|below (?:is|are)) (?=\w)/i,
  /^(?:an? )?(?:(?:simple|basic|minimal|complete|full) )?(?:example|demonstration) (?:of )?(?:how to )?(?=\w+ )/i,
];

/** Removes an opening that may introduce any code. */
function strip(sentence: string): string {
  for (const opening of openings) {
    const end = opening.exec(sentence)?.[0].length ?? 0;
    if (end > 0 && sentence.length - end >= 8) return sentence.slice(end);
  }
  return sentence;
}

/** A verb with a pronoun for its object. */
const pronounOnly =
  /^(?:to )?(?:do|does|doing|make|try|use|get|fix|see|have|achieve|accomplish|solve|avoid|prevent|handle|change|address|resolve|work around|turn|set|go|put|take|let|illustrate|demonstrate|show|verify|check|confirm|test|support|enable|disable|run|allow) (?:so|this|that|it|these|those|them|one|both|likewise|the same)(?: (?!to\b|as\b|for\b|in\b)\S{1,12}){0,2}$/i;
const emptyClause =
  /^(?:to )?(?:do(?:es)? (?:so|this|that|it|these)\b|\w{2,12} the following(?: \S+){1,2}$|(?:you|we|one) \S+(?: \S+)?$|(?:run|use|do|try|call|type|enter|execute|see|add|write)$)/i;
const pronounFirst =
  /^(?:it|they|he|she|(?:this|these|those|that)(?= (?:is|isn|was|are|aren|were|will|won|can|may|might|should|must|do|does|has|have|would|could|also|only|means|works|happens|applies)\b|$)|which|who|whose|both|such|there|here|and|or|but|nor|so|then|than|its|their)\b/i;
const dangling =
  /\b(?:for|to|of|with|by|and|or|the|an?|as|from|than|is|are|be|was|were|containing|including|via|that|which|has|have|like|following|e\.g|i\.e|its|your|their|into|can|will|based|well|rather|prior|due|according|looks?|this|these|when|if|whether|where|while|because)$/i;

/** True for a phrase that means nothing without the text around it. */
function isEmpty(phrase: string): boolean {
  return (
    pronounOnly.test(phrase) ||
    emptyClause.test(phrase) ||
    pronounFirst.test(phrase) ||
    dangling.test(phrase) ||
    !/\p{L}{2}/u.test(phrase)
  );
}

/** True for half a sentence: a condition without its main clause, or an unbalanced bracket. */
function isOpen(phrase: string): boolean {
  return (
    subordinate.test(phrase) ||
    phrase.startsWith("(") ||
    (phrase.includes(")") && !phrase.slice(0, phrase.indexOf(")")).includes("("))
  );
}

const clauseEnd =
  /[,;:](?=\s)|\s(?=[-–—(]|(?:which|because|so that|where|while|but|unless|instead of|such as|e\.g)\b)/g;
const partEnd =
  /\s(?=(?:by|using|with|without|when|whenever|if|after|before|until|since|for|from|via|through|based on|as|in|into|on|at|across|during|rather than|once|so)\s)/g;

/** Conjunctions. */
const joint = /\s(?=(?:and|or|to|that|if|for|of)\s)/g;

/** Shortens a sentence to `length`: at the end of a clause or phrase if possible, else at a word. */
export function cutAtClause(sentence: string, length: number): string {
  if (sentence.length <= length) return sentence;
  const start = sentence.slice(0, length + 1);
  for (const [end, least] of [
    [clauseEnd, 25],
    [partEnd, 20],
    [joint, 40],
  ] as const) {
    for (const { index } of [...start.matchAll(end)].toReversed()) {
      if (index < least) break;
      const head = start.slice(0, index).replace(/(?<![\s,;:–—-])[\s,;:–—-]+$/, "");
      const isBroken = head.includes("(", head.lastIndexOf(")") + 1) || (head.match(/[`"]/g)?.length ?? 0) % 2 === 1;
      if (!isBroken && !dangling.test(head) && !subordinate.test(head)) return head;
    }
  }
  return cutAtWord(sentence, length);
}

const opening =
  /^(?:expand|collapse|show|hide|view|see|toggle|open)(?: (?:description|details?|more|all|code|source|example|output|answer))?\W*$/i;

/** True for a title that only offers to open what is below it, such as "Show more". */
export function offersToOpen(title: string): boolean {
  return opening.test(title);
}
