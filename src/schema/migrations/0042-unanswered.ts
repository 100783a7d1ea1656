import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { NewIndex } from '../../platform/database/postgres/concurrent-indexes.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'finds the applications that have no answer'

export const indexes: readonly NewIndex[] = [
  {
    name: 'applications_kept_by_status',
    on: 'on applications (advertiser_id, status, id) where erased_at is null',
  },
]
