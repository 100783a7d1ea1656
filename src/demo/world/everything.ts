import { demoJobAds, demoQuestionnaires } from './board.ts'
import type { DemoWorld } from './demo-world.ts'
import { harbourApplications } from './harbour-applications.ts'
import { jobAds } from './job-ads.ts'
import { advertiserLogos, clientLogos } from './logos.ts'
import { demoSteps } from './progress.ts'
import { southernApplications } from './southern-applications.ts'
import {
  demoAdvertisers,
  demoAgents,
  demoCandidates,
  demoClients,
  demoMembers,
  demoOperators,
} from './world.ts'

/** The board in Australia, used in the quick start. */
export const australia: DemoWorld = {
  advertisers: demoAdvertisers,
  agents: demoAgents,
  clients: demoClients,
  candidates: demoCandidates,
  members: demoMembers,
  operators: demoOperators,
  questionnaires: demoQuestionnaires,
  jobAds: demoJobAds,
  applications: [...harbourApplications, ...southernApplications],
  steps: demoSteps,
  privacyNotices: [],
  advertiserLogos,
  clientLogos,
  careers: {
    company: 'Harbour Coffee Roasters',
    country: 'AU',
    lead: 'We roast in Carrington and pour in Newcastle: 41 people, three drum roasters, and a harbour outside the window.',
    perks: [
      ['Early, not late', 'The roastery closes at 2 pm and the cafe at 3 pm. No one works nights.'],
      ['Paid to learn', 'Cupping every Wednesday, and one course a year of your choice, on us.'],
      ['Coffee, of course', 'A kilo a month to take home, and as much as you can drink at work.'],
    ],
    ads: jobAds,
  },
}
