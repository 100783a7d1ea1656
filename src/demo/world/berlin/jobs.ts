import type { DemoJobAd } from '../board.ts'
import type { JobAd } from '../job-ads.ts'
import { answered, type QuestionnaireDefinition } from '../questionnaires.ts'
import { suedkreuz, westhafen } from './people.ts'

// Passed by: three years or more, early shifts.
export const barista: QuestionnaireDefinition = {
  id: '501',
  name: 'Head barista, Westhafen',
  questions: [
    {
      id: '7001',
      type: 'MultipleChoiceOneAnswer',
      text: 'How many years have you worked on a commercial espresso machine?',
      options: [
        ['90011', 'Less than 1 year'],
        ['90012', '1 to 2 years'],
        ['90013', '3 years or more'],
      ],
      isRequired: true,
      passing: ['90013'],
    },
    {
      id: '7002',
      type: 'MultipleChoiceManyAnswers',
      text: 'Which shifts can you work? Choose all that apply.',
      options: [
        ['90021', 'Weekdays from 06:30'],
        ['90022', 'Weekdays from 12:00'],
        ['90023', 'Saturdays'],
      ],
      isRequired: true,
      passing: ['90021'],
    },
    {
      id: '7003',
      type: 'Text',
      text: 'Which languages do you speak with guests, and how well?',
      options: [['90031', '']],
      isRequired: true,
    },
  ],
}

// Passed by: CE and a valid driver qualification.
export const driver: QuestionnaireDefinition = {
  id: '601',
  name: 'Driver CE, Tempelhof',
  questions: [
    {
      id: '7201',
      type: 'MultipleChoiceOneAnswer',
      text: 'Which is the highest class of driving licence that you hold?',
      options: [
        ['92011', 'B'],
        ['92012', 'C1 or C'],
        ['92013', 'CE'],
      ],
      isRequired: true,
      passing: ['92013'],
    },
    {
      id: '7202',
      type: 'True/False',
      text: 'My driver qualification (code 95) is valid for another year.',
      options: [
        ['92021', 'True'],
        ['92022', 'False'],
      ],
      isRequired: true,
      passing: ['92021'],
    },
  ],
}

export const milasAnswers = answered(barista, true, {
  '7001': ['90013'],
  '7002': ['90021', '90023'],
  '7003': 'German and English fluently, enough Polish for an order.',
})
export const leasAnswers = answered(barista, false, {
  '7001': ['90012'],
  '7002': ['90022', '90023'],
  '7003': 'German, English, Spanish',
})
export const paulsAnswers = answered(driver, true, { '7201': ['92013'], '7202': ['92021'] })

const inGermany = { country: 'DE', language: 'en', vacancy: 'existing', aiScreening: false } as const
const inBerlin = { ...inGermany, locality: 'Berlin' } as const
const inEuros = { currency: 'EUR', note: 'before tax' } as const

/** On the job board and on the careers page of Westhafen. */
const careersAds: (JobAd & Required<Pick<DemoJobAd, 'id' | 'screenId' | 'details'>> & { more: string })[] = [
  {
    id: 31,
    details: {
      ...inBerlin,
      workplace: 'onSite',
      employmentTypes: ['FULL_TIME'],
      pay: { ...inEuros, min: 2900, max: 3300, period: 'month' },
      openings: 1,
    },
    advertiserId: westhafen.id,
    company: westhafen.name,
    reference: 'WHK-7',
    title: 'Head barista (all genders)',
    place: 'Berlin Moabit',
    postalCode: '13353',
    pay: '€2,900 to €3,300 a month',
    text: 'Run the bar of our roastery cafe at the old port: six people, two groups, and barges passing the window.',
    screenId: Number(barista.id),
    more: `## What you will do
- Open the bar on weekdays and set the recipes for the day
- Train and roster a team of six, two of them trainees
- Taste with the roasters every Wednesday

## What we offer
- 38 hours a week, permanent, 28 days of leave
- A ticket for Berlin and Brandenburg
- No shift begins before 06:30 or ends after 18:00`,
  },
  {
    id: 32,
    details: {
      ...inBerlin,
      workplace: 'onSite',
      employmentTypes: ['FULL_TIME'],
      pay: { ...inEuros, min: 17.8, max: 19.5, period: 'hour' },
      openings: 2,
    },
    advertiserId: westhafen.id,
    company: westhafen.name,
    reference: 'WHK-9',
    title: 'Production roaster (all genders)',
    place: 'Berlin Moabit',
    postalCode: '13353',
    pay: '€17.80 to €19.50 an hour',
    text: 'Roast to profile on a 30 kg drum roaster, cup every batch, and keep the records that make it repeatable.',
    screenId: null,
    more: `## What you bring
- Two years of production roasting, or training as a brewer, baker or food technician
- A forklift certificate helps; if you have none, we pay for the course

Green coffee comes in 60 kg bags. There is a crane for them, and you will be glad of it.`,
  },
  {
    id: 33,
    details: {
      ...inGermany,
      region: 'Brandenburg',
      workplace: 'onSite',
      employmentTypes: ['PART_TIME'],
      pay: { ...inEuros, min: 1750, max: 1950, period: 'month' },
    },
    advertiserId: westhafen.id,
    company: westhafen.name,
    reference: 'WHK-12',
    title: 'Wholesale trainer, part-time (all genders)',
    place: 'Berlin and Brandenburg',
    postalCode: '14467',
    pay: '€1,750 to €1,950 a month for 24 hours a week',
    text: 'Visit the cafes that pour our coffee, dial in their grinders, and teach their teams to do it without you.',
    screenId: null,
    more: `## What to expect
About 40 cafes between Prenzlau and Potsdam. You need a driving licence (class B); the van is ours and electric.`,
  },
]

export const careers = careersAds.map(({ id: _, screenId: __, details: ___, more: ____, ...ad }): JobAd => ad)

export const jobAds: DemoJobAd[] = [
  ...careersAds.map(({ id, advertiserId, reference, title, place, pay, text, screenId, details, more }) => ({
    id,
    advertiserId,
    reference,
    title,
    location: place,
    screenId,
    details,
    description: `${text}\n\n${more}\n\n## Pay\n${pay}, before tax.`,
  })),
  {
    id: 41,
    details: {
      ...inBerlin,
      workplace: 'onSite',
      employmentTypes: ['FULL_TIME'],
      pay: { ...inEuros, min: 18.4, max: 18.4, period: 'hour' },
      openings: 3,
    },
    advertiserId: suedkreuz.id,
    reference: 'SKL-2188',
    title: 'Driver CE, regional (all genders)',
    location: 'Berlin Tempelhof',
    screenId: Number(driver.id),
    description: `## What you will do
Monday to Friday, 05:00 start, two or three trips a day within 120 km of Berlin. Home every evening.

## What you bring
- Class CE and a valid driver qualification (code 95)
- Patience with ramps and dispatchers alike

## What we offer
€18.40 an hour, 25% more for work at night, and a 13th month's pay.`,
  },
  {
    id: 42,
    details: {
      ...inBerlin,
      workplace: 'hybrid',
      employmentTypes: ['FULL_TIME'],
      pay: { ...inEuros, min: 42_000, max: 47_000, period: 'year' },
    },
    advertiserId: suedkreuz.id,
    reference: 'SKL-2201',
    closesAfterDays: 60,
    title: 'Route planner (all genders)',
    location: 'Berlin Tempelhof, two days a week from home',
    screenId: null,
    description: `## What you will do
Put 38 trucks and 51 drivers in the right place for tomorrow, and again at 04:00 when three of them cannot come.

## What you bring
You have planned transport or shifts, know the rules on driving and rest times, and speak German well enough to calm a dispatcher.

## What we offer
€42,000 to €47,000 a year, 30 days of leave.`,
  },
]
