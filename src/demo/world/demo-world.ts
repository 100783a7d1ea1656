import type { OperatorRole } from '../../model/principal.ts'
import type { DemoJobAd, DemoQuestionnaire } from './board.ts'
import type { DemoApplication } from './demo-application.ts'
import type { JobAd } from './job-ads.ts'
import type { DemoStep } from './progress.ts'
import type { DemoAdvertiser, DemoAgent, DemoCandidate, DemoClient, DemoMember } from './world.ts'

type Logos<Id> = readonly (readonly [id: Id, logo: Buffer])[]

/** The careers page that the first client runs for the first advertiser. */
export interface Careers {
  company: string
  /** ISO 3166-1 */
  country: string
  lead: string
  perks: readonly (readonly [title: string, text: string])[]
  ads: readonly JobAd[]
}

/** Everything of a demo world. Its first candidate has a profile to share. */
export interface DemoWorld {
  advertisers: [DemoAdvertiser, ...DemoAdvertiser[]]
  agents: [DemoAgent]
  clients: [DemoClient, DemoClient]
  candidates: [DemoCandidate, ...DemoCandidate[]]
  members: DemoMember[]
  operators: { candidateId: string; role: OperatorRole }[]
  questionnaires: DemoQuestionnaire[]
  jobAds: DemoJobAd[]
  applications: DemoApplication[]
  steps: readonly DemoStep[]
  privacyNotices: readonly (readonly [advertiserId: number, content: string])[]
  advertiserLogos: Logos<number>
  clientLogos: Logos<string>
  careers: Careers
}
