import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { NewIndex } from '../../platform/database/postgres/concurrent-indexes.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'finds the sessions that an OpenID provider opened'

export const indexes: readonly NewIndex[] = [
  {
    name: 'sessions_by_provider',
    on: 'on sessions (provider_issuer, provider_subject) where provider_issuer is not null',
  },
]
