import type { Kysely, Transaction } from 'kysely'
import type { Database, Dialect, Schema } from '../database/tables.ts'
import type { NewIndex } from '../postgres/concurrent-indexes.ts'
import * as foundation from './0001-foundation.ts'
import * as share from './0002-share.ts'
import * as apply from './0003-apply.ts'
import * as people from './0004-people.ts'
import * as manyNodes from './0005-many-nodes.ts'
import * as theWayThrough from './0006-the-way-through.ts'
import * as aFace from './0007-a-face.ts'
import * as bothSides from './0008-both-sides.ts'
import * as events from './0009-events.ts'
import * as setBack from './0010-set-back.ts'
import * as audit from './0011-audit.ts'
import * as proofs from './0012-proofs.ts'
import * as operators from './0013-operators.ts'
import * as agents from './0014-agents.ts'
import * as secondFactors from './0015-second-factors.ts'
import * as clientChanges from './0016-client-changes.ts'
import * as agentCalls from './0017-agent-calls.ts'
import * as passkeys from './0018-passkeys.ts'
import * as requiredFactors from './0019-required-factors.ts'
import type { Mark } from './mark.ts'

export type { Mark }

/** A change of many rows, which background work makes in batches after the migration: see applying/data-changes.ts. */
export interface DataChange {
  /** The oldest release that writes the new form itself. The change begins when no older one runs, and again after one. */
  writtenSince: string
  /** How many rows there are to look at, for the progress. */
  count(db: Kysely<Schema>): Promise<number>
  /** Changes some rows after the cursor, which is empty at first; undefined: none is left. Must be safe to repeat. */
  next(
    trx: Transaction<Schema>,
    cursor: string,
    dialect: Dialect,
  ): Promise<{ cursor: string; rows: number } | undefined>
}

/** Either `up`, in one transaction, or `indexes`, which PostgreSQL builds while others write. */
export interface Migration {
  mark: Mark
  /** For operators, in one line without a full stop. */
  does?: string
  up?(db: Database['writer'], dialect: Dialect): Promise<void>
  indexes?: readonly NewIndex[]
  /** After `up`. Contract migrations after this one wait for its end. */
  change?: DataChange
}

export type Migrations = Readonly<Record<string, Migration>>

/** Of the migrations before the first release. */
const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

/** In order. The SQL of a released migration is never edited: the next one fixes it. */
export const migrations: Migrations = {
  '0001-foundation': { mark, ...foundation },
  '0002-share': { mark, ...share },
  '0003-apply': { mark, ...apply },
  '0004-people': { mark, ...people },
  '0005-many-nodes': { mark, ...manyNodes },
  '0006-the-way-through': { mark, ...theWayThrough },
  '0007-a-face': { mark, ...aFace },
  '0008-both-sides': { mark, ...bothSides },
  '0009-events': { mark, ...events },
  '0010-set-back': setBack,
  '0011-audit': audit,
  '0012-proofs': proofs,
  '0013-operators': operators,
  '0014-agents': agents,
  '0015-second-factors': secondFactors,
  '0016-client-changes': clientChanges,
  '0017-agent-calls': agentCalls,
  '0018-passkeys': passkeys,
  '0019-required-factors': requiredFactors,
}
