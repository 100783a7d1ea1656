/** How long applications are kept, and how they are erased: see wanted-plans.ts. */
export const retentionPlans: Record<string, string[]> = {
  'keeping.find': [
    'own_applications by candidate_id, application_id',
    'own_applications by candidate_id',
    'advertisers by id',
    'applications by advertiser_id, id',
    'application_holds by advertiser_id, application_id',
    'erasures by advertiser_id, application_id',
  ],
  'retention.find': ['advertisers by id', 'applications by advertiser_id'],
  'retention.update': [
    'advertisers by id',
    'applications by advertiser_id',
    'erasures by advertiser_id',
    'memberships by advertiser_id',
  ],
  // PostgreSQL may also take the index by status, as long as there are few.
  'retention.keptBefore': [
    'applications by advertiser_id',
    'applications by advertiser_id, submitted_at',
    'application_holds by advertiser_id, application_id',
  ],
  'retention.planErasures': [
    'advertisers by id',
    'applications by advertiser_id, submitted_at',
    'application_holds by advertiser_id, application_id',
    'erasures by advertiser_id, application_id',
  ],
  'holds.find': ['application_holds by advertiser_id, application_id', 'candidates by id'],
  'holds.place': [
    'applications by advertiser_id, id',
    'erasures by advertiser_id, application_id',
    'application_history by advertiser_id, application_id',
  ],
  'holds.release': [
    'applications by advertiser_id, id',
    'application_holds by advertiser_id, application_id',
    'erasures by advertiser_id, application_id',
    'application_history by advertiser_id, application_id',
  ],
  'erasures.due': [
    'erasures by due_at',
    'erasures by due_at, advertiser_id, application_id',
    'application_holds by advertiser_id, application_id',
  ],
  'erasures.erase': [
    'advertiser_ledger by advertiser_id',
    'applications by advertiser_id, id',
    'application_files by advertiser_id, application_id',
    'application_screens by advertiser_id, application_id',
    'application_terms by advertiser_id, term, application_id',
    'application_pieces by advertiser_id, format, id',
    'application_history by advertiser_id, application_id',
    'erasures by advertiser_id, application_id',
    'intake_applications by application_id',
    'intake_keys by client_id, key',
    'application_history by advertiser_id, application_id',
    'application_reads by advertiser_id, application_id',
    'application_holds by advertiser_id, application_id',
  ],
}
