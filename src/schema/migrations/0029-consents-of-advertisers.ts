import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { NewIndex } from '../../platform/database/postgres/concurrent-indexes.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'finds the consents that end with the authorisation of an agent'

export const indexes: readonly NewIndex[] = [
  { name: 'grants_of_advertiser', on: 'on grants (advertiser_id, client_id) where withdrawn_at is null' },
]
