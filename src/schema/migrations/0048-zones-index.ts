import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { NewIndex } from '../../platform/database/postgres/concurrent-indexes.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'finds the time zones of companies, in which the days of their job ads count'

export const indexes: readonly NewIndex[] = [
  { name: 'advertisers_by_time_zone', on: 'on advertisers (time_zone) where time_zone is not null' },
]
