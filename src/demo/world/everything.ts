/** Re-exports the whole demo world, so that one import loads it. */
export { demoJobAds, demoQuestionnaires } from './board.ts'
export { file } from './demo-application.ts'
export { harbourApplications } from './harbour-applications.ts'
export { advertiserLogos, clientLogos } from './logos.ts'
export { demoSteps } from './progress.ts'
export { southernApplications } from './southern-applications.ts'
export {
  demoAdvertisers,
  demoAgents,
  demoCandidates,
  demoClients,
  demoMembers,
  demoOperators,
} from './world.ts'
