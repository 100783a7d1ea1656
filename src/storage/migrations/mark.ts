export interface Mark {
  /** The code of a release needs its `expand` migrations; it runs before and after its `contract` ones. */
  kind: 'expand' | 'contract'
  /** The oldest release that can run on the migrated schema: at least the release before runs after each migration. */
  oldest: string
}
