import type { Candidates, Question } from "../../domain/ports.ts";
import { stopWords } from "./analyse-question.ts";
import { termsOf, wordsOf } from "./terms.ts";
import { analyse } from "./analyse-text.ts";

const maxMissing = 3;

/**
 * Rare words of a question, as written, of which no passage of the generation has a term, a synonym or a correction; each once.
 * Numbers and common English words do not count, except capitalised words within the question, which are names.
 */
export function missingWords(
  query: string,
  { terms, standIns }: Question,
  { documentFrequency, corrections }: Pick<Candidates, "documentFrequency" | "corrections">,
): readonly string[] {
  const asked = new Set(terms);
  const isThere = (term: string): boolean =>
    documentFrequency.get(term) !== 0 || (corrections.get(term) ?? []).length > 0;
  const covered = new Set([...standIns].flatMap(([other, term]) => (isThere(other) ? [term] : [])));
  const missing = new Map<string, string>();
  for (const [at, word] of wordsOf(query).entries()) {
    const own = termsOf(word);
    if (own.length === 0 || stopWords.has(word.toLowerCase()) || !own.every((term) => asked.has(term))) continue;
    if (own.some((term) => isThere(term) || covered.has(term))) continue;
    const [first = ""] = own;
    const isName = at > 0 && /^\p{Lu}/u.test(word);
    if (!/\p{L}/u.test(word) || /^\p{N}/u.test(word) || (commonTerms.has(first) && !isName)) continue;
    if (!missing.has(first)) missing.set(first, word);
  }
  return [...missing.values()].slice(0, maxMissing);
}

/** Common English words besides the stop words. Their absence says nothing about a library's subject. */
const words = `
  able accept across act actual afraid age ago agree ahead alike alive allow almost alone along already although always amount anybody
  anyone anything anyway anywhere apart appear area arrive aside ask asleep attempt away awful baby back bad bag balance ball bare basic
  bear beat beautiful become bed begin behave behind belief belong benefit besides better beyond big bit bite black blame blank blue
  board body bone book boring borrow boss both bother bottle bottom bought box boy brain branch brave bread break breath brief bright bring
  broad broken brother brought brown bump burn bus business busy buy cake calm came car card care careful carry cart case cash cat catch
  caught cause certain chair chance charge chat cheap cheat child choice choose city claim clash clean clear clever climb close cloth
  cloud coat coffee cold colleague collect come comfort common company compare complain complete concern confuse consider constant
  contain continue cook cool corner correct cost count country couple course cover crash crazy credit cross crowd cry cup curious
  current cut daily damage dance danger dark date daughter day dead deal dear death decide decline deep define degree demand depend
  describe deserve desk despite detail die differ difficult dinner dirty disappear discover discuss dog door double doubt draw dream
  dress drift drink drive drop dry due dust duty eager ear early earn earth easy eat edge effect effort eight either elapse eleven else
  empty end endless enjoy enough enter entire equal escape especially evening event everybody everyone everything everywhere evil exact
  except excite expect expensive experience extra eye face fact fail fair fall familiar family famous far farm fast fat father favor
  fear feed feel feet fell felt female fight figure fill final fine finger finish fire firm fish fit five fix flat floor fly fold
  follow food foot force foreign forever forget forgive forgot forgotten form former forth forward four free freeze fresh friend
  front fruit full fun funny furthermore future gain garbage garden gather gave general gentle giant gift girl glad glass goal gold gone good
  gray great green grew grey ground group grow guess guilty guy habit hair half hall hammer hand handle happen happy hard harm hat hate
  head health hear heard heart heat heavy height hello hidden high hit hold hole home honest hope horse hospital hot hotel hour house
  however huge human hundred hungry hunt hurry hurt idea ill imagine important improve inch include increase indeed inside instead
  intend interest island job join joke journey joy judge jump kid kill king kitchen knee knew knock lady land large last late laugh law lay
  lazy lead leaf lean learn least leave led left leg lend length less lesson letter level lie life light likely line lip listen little
  live local lonely long look lose loss lost lot loud love low lower luck lunch machine mad magic main major male man manner march mark
  market marry master matter maybe meal mean meant measure meat medium meet melt member mention mess method middle mile milk mind minor
  minute miss mistake mix modern moment money month mood moon moreover morning mostly mother mountain mouth move movie mud music myself
  name narrow nation nature near nearly neat necessary neck neither nervous never new news next nice night nine nobody noise none
  noon normal north nose note nothing notice nowhere obvious occur odd offer office often oil old opinion opposite ordinary original
  otherwise ought ourselves outside overall overnight own page paid pain paint pair paper paragraph part partial party past pay peace pen people perfect
  perhaps period person phone pick piece place plain plan plane plant plate play pleasant plenty poem point poor popular possible pot
  pour power practice prefer prepare present president press pretty prevent price pride prince print probable problem produce promise
  proof proper protect proud prove public pull pure purpose push put quality quarter queen quick quiet quite rain raise ran rather
  reach react ready real realize reason recent recommend record red refuse regard region regular relate remain remark remember remind
  repair repeat reply rest result rice rich ride right ring rise risk river road rock role roll roof room rough round row rub ruin
  rush sad safe said sail salt sand sat satisfy save saw say scared school science score sea seat second secret see seem seen sell send
  sense sent separate serious serve settle seven several shade shake shall shame shape share sharp shine ship shoe shop shore short
  shot shoulder shout shut sick side sight silent silly silver similar simple since sing single sink sir sister sit situation six size
  skill skin sky sleep slight slip slow small smart smell smile smooth snow society soft sold soldier solid solve somebody somehow someone
  something sometimes somewhere son song soon sore sorry sort soul sound soup south space spare speak special speed spell spend
  spent spoke spot spread spring square stage stair stand standard stare start stay steady steal step stick still stomach stone
  stood stop store storm story straight strange stranger street stress stretch strict strike strong struggle stuck study stuff stupid
  subject succeed success sudden suffer sugar suggest suit summer sun super supper suppose sure surface surprise sweet swim switch
  table tail take talk tall taste taught tax tea teach team tear tell ten tend terrible thank therefore thick thin think third
  thorough though thought thousand threat three threw thrown thus tie tight till time tiny tired together told tomorrow ton tonight
  took top total touch tough toward town trade train travel treat tree trick trip trouble true truly trust truth try turn twelve
  twenty twice two type ugly unable uncle understand unfair unfortunate unit unless unlike unnecessary until unusual upon upper upset usual vanish various vast
  versus view village visit voice vs wait wake walk wall war warm warn wash waste watch water weak wear weather week weekend weigh weight
  weird welcome well went west wet whatever wheel whenever wherever whether whichever white whoever whole whose wide wife wild willing win wind window
  wine winter wise wish woman won wonder wood word world worry worse worst worth wrap wrong yard yeah year yell yellow yes yesterday yet young
  younger zero afterwards beforehand altogether nowadays doesn didn isn aren wasn weren haven hasn hadn couldn wouldn shouldn cannot ain
  thing anyhow whereas besides beside underneath everyday lately hardly barely simply merely exactly roughly
  gonna wanna kinda stuff lots hi hey thanks cheers folks guys mine yours theirs hers ours
`;

const commonTerms: ReadonlySet<string> = new Set(analyse(words));
