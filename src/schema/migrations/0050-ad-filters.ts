import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { NewIndex } from '../../platform/database/postgres/concurrent-indexes.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'finds open job ads by workplace and with pay'

export const indexes: readonly NewIndex[] = [
  {
    name: 'job_ads_open_by_workplace',
    on: `on job_ads (workplace, id) where status = 'open' and workplace is not null`,
  },
  { name: 'job_ads_open_with_pay', on: `on job_ads (id) where status = 'open' and has_pay = 1` },
]
