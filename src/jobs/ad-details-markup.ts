import type { AdDetails, Pay } from '../model/ad-details.ts'
import { employmentTypeNames, payPeriodNames, vacancyNames, workplaceNames } from '../model/ad-words.ts'
import { countryInWords } from '../model/profile-words.ts'
import { lazily } from '../platform/core/lazily.ts'
import { boardLocale, numberText } from '../platform/core/locale.ts'
import { isolateBidi } from '../platform/web/bidi.ts'
import { type Html, html } from '../platform/web/html.ts'

/** The details of an ad in words. */

// Texts are English whatever the locale.
const languages = lazily(() => new Intl.DisplayNames('en', { type: 'language' }))

/** The pay without its note. */
export function payText({ min, max, currency, period }: Pay): string {
  const money = new Intl.NumberFormat(boardLocale(), {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  })
  const per = payPeriodNames[period]
  if (min === undefined) return `Up to ${money.format(max ?? 0)} ${per}`
  if (max === undefined) return `From ${money.format(min)} ${per}`
  return `${min === max ? money.format(min) : money.formatRange(min, max)} ${per}`
}

export function adFacts(details: AdDetails): [label: string, value: Html | string][] {
  const { country, region, locality, workplace, remoteCountries, employmentTypes, pay } = details
  const { language, openings, vacancy, aiScreening } = details
  const place = [locality, region, country && countryInWords(country)].filter(part => part !== undefined)
  const facts: [string, Html | string | undefined][] = [
    ['Pay', pay && html`${payText(pay)}${pay.note !== undefined && html`, ${isolateBidi(pay.note)}`}`],
    ['Employment type', employmentTypes?.map(type => employmentTypeNames[type]).join(', ')],
    ['Workplace', workplace && workplaceNames[workplace]],
    ['Work from', remoteCountries?.map(countryInWords).join(', ')],
    ['Place', place.length === 0 ? undefined : isolateBidi(place.join(', '))],
    ['Positions', openings === undefined ? undefined : numberText(openings)],
    ['Vacancy', vacancy && vacancyNames[vacancy]],
    [
      'Artificial intelligence',
      aiScreening === undefined
        ? undefined
        : aiScreening
          ? 'Takes part in the selection of applicants'
          : 'Takes no part in the selection of applicants',
    ],
    ['Language of the ad', language && languages().of(language)],
  ]
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]))
}
