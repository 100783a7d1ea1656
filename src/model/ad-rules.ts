import type { AdDetails, DetailField } from './ad-details.ts'

/** Legal requirements for ads in a jurisdiction, which an operator puts in force with AD_RULES. */
export interface AdRuleSet {
  fields: readonly AdRule[]
  /** Months for which a replaced version of an ad must be kept; absent where the law does not require it. */
  versionMonths?: number
  /** Why a company must not ask for candidates' earlier pay; absent where it may. */
  earlierPay?: string
}

export interface AdRule {
  field: DetailField
  /** An ad without a required field is not saved. */
  level: 'required' | 'warned'
  /** A sentence, shown beside the field and in the API's problem. */
  reason: string
}

/** To add a set, add an entry here and nothing else. */
export const adRuleSets: Readonly<Record<string, AdRuleSet>> = {
  eu: {
    fields: [
      {
        field: 'pay',
        level: 'warned',
        reason:
          'Candidates must learn the initial pay or its range before the interview, for example from the ad (Directive (EU) 2023/970, Article 5).',
      },
    ],
    earlierPay:
      'In the European Union, a company must not ask candidates what they earn or earned (Directive (EU) 2023/970, Article 5).',
  },
  ontario: {
    versionMonths: 36,
    fields: [
      {
        field: 'pay',
        level: 'required',
        reason:
          'An ad in Ontario must state the expected pay or its range (Employment Standards Act, 2000, Part III.1).',
      },
      {
        field: 'vacancy',
        level: 'required',
        reason:
          'An ad in Ontario must state whether there is an existing vacancy (Employment Standards Act, 2000, Part III.1).',
      },
      {
        field: 'aiScreening',
        level: 'required',
        reason:
          'An ad in Ontario must state whether artificial intelligence screens, assesses or selects applicants (Employment Standards Act, 2000, Part III.1).',
      },
    ],
  },
}

/** Throws an Error that states the expected form. */
export function readAdRules(text: string | undefined): AdRuleSet[] {
  const names = new Set(text?.split(',').map(name => name.trim()))
  return [...names].map(name => {
    const set = Object.hasOwn(adRuleSets, name) ? adRuleSets[name] : undefined
    if (set !== undefined) return set
    throw new Error(
      `must be names of rule sets, separated by commas; there are ${Object.keys(adRuleSets).join(', ')}`,
    )
  })
}

/** The rules that apply to one field. */
export const rulesAbout = (sets: readonly AdRuleSet[], field: DetailField): AdRule[] =>
  sets.flatMap(({ fields }) => fields).filter(rule => rule.field === field)

/** The rules that an ad breaks. */
export const brokenRules = (sets: readonly AdRuleSet[], details: AdDetails = {}): AdRule[] =>
  sets.flatMap(({ fields }) => fields).filter(({ field }) => details[field] === undefined)

/** Folded. A question with one word of each list is most likely about earlier pay. */
const payWords =
  /\b(pay|paid|salai?r|wage|earn|compensation|remunerat|remunerac|sueldo|stipend|retribu|gagniez-vous|gagnez-vous)(?!roll)|gehalt|verdien|lohn|entgelt/
const earlierWords =
  /\b(current|present|previous|prior|past|last|former|earlier|history|so far|bisher|derzeit|aktuell|letzt|fruher|jetzig|momentan|im moment|zurzeit|zur zeit|gegenwartig|actuel|precedent|dernier|actual|anterior|ultim|attual)/
/** Whole phrases: words such as "make" or "jetzt" alone are harmless elsewhere. */
const earlierPayWords =
  /\bhow much (do|did|are|were) you (currently |now )?mak(e|ing)\b|\bwhat (do|are) you (currently|now) mak(e|ing)\b|\bverdien(en sie|st du) jetzt\b/

/** Why a question should not be asked; undefined if no rule in force forbids it. */
export function earlierPayReason(sets: readonly AdRuleSet[], question: string): string | undefined {
  const reason = sets.find(({ earlierPay }) => earlierPay !== undefined)?.earlierPay
  const folded = question.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const isAbout = earlierPayWords.test(folded) || (payWords.test(folded) && earlierWords.test(folded))
  return isAbout ? reason : undefined
}
