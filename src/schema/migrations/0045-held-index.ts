import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { NewIndex } from '../../platform/database/postgres/concurrent-indexes.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'finds the ads that operators hold or review'

export const indexes: readonly NewIndex[] = [
  { name: 'job_ads_on_hold', on: 'on job_ads (id) where hold is not null' },
]
