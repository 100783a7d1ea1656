import { harbourId } from './world.ts'

/** The jobs on the demo careers page. */
export interface JobAd {
  reference: string
  title: string
  advertiserId: number
  company: string
  place: string
  postalCode: string
  pay: string
  text: string
}

const harbour = { advertiserId: harbourId, company: 'Harbour Coffee Roasters' }

export const jobAds: JobAd[] = [
  {
    ...harbour,
    reference: 'HCR-7',
    title: 'Head barista',
    place: 'Newcastle NSW',
    postalCode: '2300',
    pay: '$72,000 to $78,000 a year',
    text: 'Run the bar of our roastery cafe: six people, two groups, and a queue that knows what it wants.',
  },
  {
    ...harbour,
    reference: 'HCR-9',
    title: 'Production roaster',
    place: 'Carrington NSW',
    postalCode: '2294',
    pay: '$68,000 to $74,000 a year',
    text: 'Roast to profile on a 30 kg drum roaster, cup every batch, and keep the records that make it repeatable.',
  },
  {
    ...harbour,
    reference: 'HCR-12',
    title: 'Wholesale trainer',
    place: 'Hunter Region NSW',
    postalCode: '2320',
    pay: '$38 an hour, casual',
    text: 'Visit the cafes that pour our coffee, dial in their grinders, and teach their teams to do it without you.',
  },
]

export function findJobAd(reference: string | undefined): JobAd | undefined {
  return jobAds.find(ad => ad.reference === reference)
}
