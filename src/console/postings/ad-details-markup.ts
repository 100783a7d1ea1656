import { type AdDetails, type DetailField, employmentTypes } from '../../model/ad-details.ts'
import { type AdRuleSet, rulesAbout } from '../../model/ad-rules.ts'
import { employmentTypeNames, payPeriodNames, vacancyNames, workplaceNames } from '../../model/ad-words.ts'
import { countries } from '../../model/reference-lists.ts'
import { nameLength } from '../../model/text-lengths.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { needed } from '../../platform/web/fields.ts'
import { choice, type FormState, row, textInput, tick } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'

/** The details of an ad in its form, where each detail is a text. */

const typeFields = employmentTypes.map(type => `type-${type}` as const)
type TypeField = (typeof typeFields)[number]
export const detailFields = [
  ...(['country', 'region', 'locality', 'workplace', 'remoteCountries'] as const),
  ...typeFields,
  ...(['payMin', 'payMax', 'payCurrency', 'payPeriod', 'payNote'] as const),
  ...(['language', 'openings', 'vacancy', 'aiScreening'] as const),
] as const
type FormField = (typeof detailFields)[number]
export type DetailsForm = Record<FormField, string>

export function formOfDetails(details: AdDetails = {}): DetailsForm {
  const { aiScreening, pay } = details
  return {
    country: details.country ?? '',
    region: details.region ?? '',
    locality: details.locality ?? '',
    workplace: details.workplace ?? '',
    remoteCountries: details.remoteCountries?.join(', ') ?? '',
    ...(Object.fromEntries(
      employmentTypes.map(type => [`type-${type}`, details.employmentTypes?.includes(type) ? 'yes' : '']),
    ) as Record<TypeField, string>),
    payMin: String(pay?.min ?? ''),
    payMax: String(pay?.max ?? ''),
    payCurrency: pay?.currency ?? '',
    payPeriod: pay?.period ?? '',
    payNote: pay?.note ?? '',
    language: details.language ?? '',
    openings: String(details.openings ?? ''),
    vacancy: details.vacancy ?? '',
    aiScreening: aiScreening === undefined ? '' : aiScreening ? 'yes' : 'no',
  }
}

/** The details in the format of the API. Input that is not a number stays a text, which the API's rules reject. */
export function bodyOfDetails(form: DetailsForm): object {
  const text = (field: FormField) => form[field].trim() || null
  const code = (field: FormField) => text(field)?.toUpperCase() ?? null
  const number = (field: FormField) =>
    // Some people write 52.000 for fifty-two thousand, so it is not a number with three decimals.
    /^\d+(\.\d{1,2})?$/.test(form[field].trim()) ? Number(form[field]) : text(field)
  const types = employmentTypes.filter(type => form[`type-${type}`] === 'yes')
  const remoteCountries = code('remoteCountries')?.split(/[\s,;]+/)
  const pay = {
    min: number('payMin'),
    max: number('payMax'),
    currency: code('payCurrency'),
    period: text('payPeriod'),
    note: text('payNote'),
  }
  return {
    country: code('country'),
    region: text('region'),
    locality: text('locality'),
    workplace: text('workplace'),
    remoteCountries: remoteCountries?.filter(each => each !== '') ?? null,
    employmentTypes: types.length > 0 ? types : null,
    pay: Object.values(pay).some(value => value !== null) ? pay : null,
    language: text('language'),
    openings: number('openings'),
    vacancy: text('vacancy'),
    aiScreening: { yes: true, no: false }[form.aiScreening] ?? text('aiScreening'),
  }
}

export const detailLabels: DetailsForm = {
  country: 'Country',
  region: 'State or region',
  locality: 'Town',
  workplace: 'Workplace',
  remoteCountries: 'Work from',
  ...(Object.fromEntries(employmentTypes.map(type => [`type-${type}`, employmentTypeNames[type]])) as Record<
    TypeField,
    string
  >),
  payMin: 'Pay from',
  payMax: 'Pay to',
  payCurrency: 'Currency',
  payPeriod: 'Period',
  payNote: 'Remark on pay',
  language: 'Language of the ad',
  openings: 'Positions',
  vacancy: 'Vacancy',
  aiScreening: 'Artificial intelligence in the selection',
}

export function detailsMarkup(state: FormState, adRules: readonly AdRuleSet[], home: string): Html {
  const label = (name: FormField, field: DetailField) =>
    rulesAbout(adRules, field).some(({ level }) => level === 'required')
      ? needed(detailLabels[name])
      : detailLabels[name]
  const hint = (field: DetailField, usual: string) =>
    [usual, ...rulesAbout(adRules, field).map(({ reason }) => reason)].filter(text => text !== '').join(' ')
  const field = (name: FormField & DetailField, usual = '') => ({
    name,
    label: label(name, name),
    ...(hint(name, usual) !== '' && { hint: hint(name, usual) }),
  })
  const oneLine = html`maxlength="${nameLength}"`
  const number = html`inputmode="decimal" autocomplete="off"`
  const payHint = hint('pay', '')
  return html`<fieldset class="choices"><legend>Place</legend>
${row(
  choice({
    ...field('country', 'Search engines list no ad without it.'),
    none: 'Not stated',
    choices: countries(home),
  }),
  textInput({ ...field('region'), attributes: oneLine }),
  textInput({ ...field('locality'), attributes: oneLine }),
)(state)}
${row(
  choice({ ...field('workplace'), none: 'Not stated', choices: choicesOf(workplaceNames) }),
  textInput(
    field(
      'remoteCountries',
      'For remote work: the codes of the countries, such as DE, AT. Empty for the country above.',
    ),
  ),
)(state)}
</fieldset>
<fieldset class="choices"><legend>Employment type</legend>
${reasonsOf(adRules, 'employmentTypes')}
${row(...employmentTypes.map(type => tick({ name: `type-${type}`, label: employmentTypeNames[type] })))(state)}
</fieldset>
<fieldset class="choices"><legend>${label('payMin', 'pay') === detailLabels.payMin ? 'Pay' : needed('Pay')}</legend>
${payHint !== '' && html`<span class="hint">${payHint}</span>`}
${row(
  textInput({ name: 'payMin', label: detailLabels.payMin, attributes: number }),
  textInput({ name: 'payMax', label: detailLabels.payMax, attributes: number }),
  textInput({
    name: 'payCurrency',
    label: detailLabels.payCurrency,
    hint: 'Such as EUR.',
    attributes: html`maxlength="3" autocapitalize="characters" autocomplete="off"`,
  }),
  choice({
    name: 'payPeriod',
    label: detailLabels.payPeriod,
    none: 'Not stated',
    choices: choicesOf(payPeriodNames),
  }),
)(state)}
${textInput({ name: 'payNote', label: detailLabels.payNote, hint: 'Such as “plus super” or “by collective agreement”.', attributes: oneLine })(state)}
</fieldset>
<fieldset class="choices"><legend>The vacancy</legend>
${row(
  textInput({ ...field('openings'), attributes: html`inputmode="numeric" autocomplete="off"` }),
  choice({ ...field('vacancy'), none: 'Not stated', choices: choicesOf(vacancyNames) }),
)(state)}
${row(
  choice({
    ...field('aiScreening', 'Whether it screens, assesses or selects applicants.'),
    none: 'Not stated',
    choices: [
      { id: 'no', description: 'Not used' },
      { id: 'yes', description: 'Used' },
    ],
  }),
  textInput(field('language', 'A language tag, such as en or fr-CA.')),
)(state)}
</fieldset>`
}

const choicesOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([id, description]) => ({ id, description }))

const reasonsOf = (adRules: readonly AdRuleSet[], field: DetailField) =>
  rulesAbout(adRules, field).map(({ reason }) => html`<span class="hint">${reason}</span>`)

/** The form field with the error; undefined if the error does not concern a detail. */
export function detailFieldOf(path: string): FormField | undefined {
  const [, part] = /^pay(?:\.(.*))?$/.exec(path) ?? []
  const name = path.startsWith('pay')
    ? `pay${(part ?? 'min').replace(/^./, first => first.toUpperCase())}`
    : path === 'employmentTypes'
      ? typeFields[0]
      : path
  return detailFields.find(field => field === name)
}

export function detailFault(
  field: FormField,
  { field: path, code }: FieldError,
  adRules: readonly AdRuleSet[],
): string {
  const label = detailLabels[field]
  const reason = rulesAbout(adRules, path as DetailField).find(({ level }) => level === 'required')?.reason
  if (code === 'required' && reason !== undefined) return reason
  if (code === 'too-long') return `${label}: use at most ${nameLength} characters.`
  if (code === 'line-break') return `${label} must be one line.`
  if (code === 'unwritable-character')
    return `${label} contains a character we can’t save. Type the text instead of pasting it.`
  return faults[code === 'not-remote' ? code : field] ?? 'Choose one of the options.'
}

const faults: Readonly<Record<string, string>> = {
  'not-remote': 'Choose the workplace “Remote”, or leave this empty.',
  remoteCountries: 'Enter codes of two letters, such as DE, AT.',
  payMin: 'Enter the lowest or the highest pay, as a number such as 52000 or 24.50.',
  payMax: 'Enter a number such as 52000 or 24.50, not lower than the lowest pay.',
  payCurrency: 'Enter the code of a currency, such as EUR.',
  payPeriod: 'Choose the period that the pay is for.',
  language: 'Enter a language tag, such as en or fr-CA, or leave it empty.',
  openings: 'Enter a whole number, or leave it empty.',
}
