/** What a company does with its applications: see wanted-plans.ts. */
export const progressPlans: Record<string, string[]> = {
  'progress.setStatus': [
    'applications by advertiser_id, id',
    'application_history by advertiser_id, application_id',
    'application_history by advertiser_id, application_id, position',
    'own_applications by advertiser_id, application_id',
  ],
  'progress.addNote': [
    'applications by advertiser_id, id',
    'application_history by advertiser_id, application_id',
    'application_history by advertiser_id, application_id, position',
  ],
  'progress.history': ['application_history by advertiser_id, application_id', 'candidates by id'],
  'progress.happenings': [
    'events by advertiser_id, application_id',
    'application_reads by advertiser_id, application_id',
    'list_reads by advertiser_id, day',
    'list_reads by advertiser_id, day, first_id',
    'read',
  ],
  'progress.hasAccount': ['own_applications by advertiser_id, application_id'],
  'progress.visit': ['memberships by advertiser_id, candidate_id', 'applications by advertiser_id'],
  'progress.lastVisit': ['memberships by advertiser_id, candidate_id'],
  'progress.counts': [
    'application_counts by advertiser_id',
    'application_counts by advertiser_id, job_ad_id',
  ],
  'progress.countsOfAds': ['application_counts by advertiser_id, job_ad_id'],
}
