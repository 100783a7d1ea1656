import type { JobAdFields } from '../../model/job-ad.ts'
import type { Questionnaire } from '../../model/questionnaire.ts'
import { findJobAd } from './job-ads.ts'
import { headBarista, heavyRigidDriver, questionnaireOf, wholesaleTrainer } from './questionnaires.ts'
import { harbourId, southernId } from './world.ts'

/** The job ads of the demo's advertisers. The IDs are fixed, because the quick start refers to them. */

export interface DemoQuestionnaire extends Questionnaire {
  advertiserId: number
}

export interface DemoJobAd extends Omit<JobAdFields, 'closingDate'> {
  id: number
  advertiserId: number
  reference: string
  /** Days from the loading of the demo; if absent, the ad has no closing date. */
  closesAfterDays?: number
}

/** As it is loaded. */
export type DatedJobAd = Omit<DemoJobAd, 'closesAfterDays'> & Pick<JobAdFields, 'closingDate'>

const inAustralia = { country: 'AU', language: 'en-AU', vacancy: 'existing', aiScreening: false } as const
const inNewSouthWales = { ...inAustralia, region: 'New South Wales', workplace: 'onSite' } as const
const inSouthAustralia = { ...inAustralia, region: 'South Australia', locality: 'Wingfield' } as const
const plusSuper = { currency: 'AUD', period: 'year', note: 'plus super' } as const

export const demoQuestionnaires: DemoQuestionnaire[] = [
  { advertiserId: harbourId, ...questionnaireOf(headBarista) },
  { advertiserId: harbourId, ...questionnaireOf(wholesaleTrainer) },
  { advertiserId: southernId, ...questionnaireOf(heavyRigidDriver) },
]

/** The jobs of Harbour's own careers page. */
function harbourAd(
  reference: string,
  ad: Pick<DemoJobAd, 'id' | 'description' | 'details' | 'screenId'>,
): DemoJobAd {
  const { title = '', place: location = '', pay, text } = findJobAd(reference) ?? {}
  const description = `${text}\n\n${ad.description}\n\n## Pay\n${pay}, plus super.`
  return { ...ad, advertiserId: harbourId, title, location, reference, description }
}

export const demoJobAds: DemoJobAd[] = [
  harbourAd('HCR-7', {
    id: 31,
    details: {
      ...inNewSouthWales,
      locality: 'Newcastle',
      employmentTypes: ['FULL_TIME'],
      pay: { min: 72_000, max: 78_000, ...plusSuper },
      openings: 1,
    },
    screenId: Number(headBarista.id),
    description: `## What you will do
- Open the bar five mornings a week and set the recipes for the day
- Train and roster a team of six, two of them apprentices
- Order milk, beans and everything that runs out on a Saturday
- Taste with the roasters every Wednesday, and tell them what the customers say

## What we look for
- Three years or more on a commercial machine, some of them in charge
- A calm voice at 8.30 am
- The right to work in Australia

We close at 3 pm, never open on Christmas Day, and staff coffee has always been free.`,
  }),
  harbourAd('HCR-9', {
    id: 32,
    details: {
      ...inNewSouthWales,
      locality: 'Carrington',
      employmentTypes: ['FULL_TIME'],
      pay: { min: 68_000, max: 74_000, ...plusSuper },
      openings: 2,
    },
    screenId: null,
    description: `## What you will do
You work Monday to Friday from 6 am in our roastery at Carrington, with two other roasters and a packing team of four.

## What you bring
- Two years of production roasting, or one and a good palate
- A forklift licence helps; if you have none, we pay for the course

Green coffee comes in 60 kg bags, and you move about twenty of them a day.

Send us a resume and a few lines on the best coffee that you have roasted.`,
  }),
  harbourAd('HCR-12', {
    id: 33,
    details: {
      ...inNewSouthWales,
      employmentTypes: ['PART_TIME', 'TEMPORARY'],
      pay: { ...plusSuper, min: 38, max: 38, period: 'hour' },
    },
    screenId: Number(wholesaleTrainer.id),
    description: `## What you will do
About 40 cafes between Newcastle and Muswellbrook pour our coffee. You see each of them once a month: grinder, water, milk, and the new person behind the machine.

## What to expect
It is 20 to 25 hours a week, most of them before noon, and you need your own driver licence; the van is ours. Experience as a head barista matters more than a certificate, though we like to see one.`,
  }),
  {
    id: 41,
    details: {
      ...inSouthAustralia,
      workplace: 'onSite',
      employmentTypes: ['FULL_TIME'],
      pay: { currency: 'AUD', period: 'hour', min: 34.2, max: 34.2, note: 'overtime after eight hours' },
      openings: 3,
    },
    advertiserId: southernId,
    title: 'HR driver',
    location: 'Wingfield SA',
    reference: 'SCL-2188',
    screenId: Number(heavyRigidDriver.id),
    description: `## What you will do
Permanent, Monday to Friday, 5 am start. Metro and near-country runs with a 12-pallet rigid, two or three trips a day, home every night.

## What you bring
- An HR licence, and a year or more of driving trucks
- Patience with docks and dispatchers alike
- A forklift licence is worth an extra allowance

## What we offer
Pay: $34.20 an hour and overtime after eight hours. New uniform, late-model trucks, and a depot with a proper coffee machine.`,
  },
  {
    id: 42,
    details: {
      ...inSouthAustralia,
      workplace: 'hybrid',
      employmentTypes: ['FULL_TIME'],
      pay: { min: 82_000, max: 90_000, ...plusSuper },
    },
    advertiserId: southernId,
    title: 'Fleet scheduler',
    location: 'Wingfield SA',
    reference: 'SCL-2201',
    closesAfterDays: 60,
    screenId: null,
    description: `## What you will do
Put 38 trucks and 51 drivers in the right place for tomorrow, and again at 4 am when three of them cannot come.

## What you bring
You have planned transport, shifts or something as unforgiving, know fatigue rules, and stay friendly on the telephone. Afternoon shift, 12.30 to 8.30 pm, every second week from home.

## What we offer
Pay: $82,000 to $90,000 a year, plus super.`,
  },
]
