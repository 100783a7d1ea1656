import type { Format } from '../src/model/v1/rendering.ts'
import { type ApplicationTable, dateMark, idMark, type Rows, templateCount } from './templates.ts'

/** The SQL with which a database makes applications from templates in tables with the same columns. */

export const templateOf = (table: ApplicationTable) => `template_of_${table}`
export const keyOf = (table: ApplicationTable) =>
  table === 'applications' || table === 'application_pieces' ? 'id' : 'application_id'

/** A run of IDs: all are the owner's except each fifth, which is the neighbour's. */
export interface Block {
  owner: number
  neighbour: number
  firstId: number
  lastId: number
  tables: readonly ApplicationTable[]
  /** Formats in which the pieces are made. */
  formats: readonly Format[]
}

/** Where the SQL of the engines differs. */
export interface Tongue {
  /** A table `n` of the integers between two, in one column `id`, ascending. */
  numbers(first: number, last: number): string
  /** A time in the XML format of version 1. */
  aestIso(ms: string): string
  /** A number as a text. */
  text(number: string): string
}

const neighbourEvery = 5
export const isNeighbours = (id: number) => id % neighbourEvery === 0

/** When application 0 would have been submitted, and the interval between applications. In whole seconds. */
export interface Calendar {
  startMs: number
  stepMs: number
}

/** One statement per table, or two for the pieces: one format after the other, as they are clustered. */
export function expansions(rows: Rows, block: Block, calendar: Calendar, tongue: Tongue): string[] {
  return block.tables.flatMap(table => {
    const columns = Object.keys(rows[table][0] ?? {})
    const of = (format?: Format) => expansion(table, columns, block, calendar, tongue, format)
    return table === 'application_pieces' ? block.formats.map(of) : [of()]
  })
}

function expansion(
  table: ApplicationTable,
  columns: readonly string[],
  { owner, neighbour, firstId, lastId }: Block,
  { startMs, stepMs }: Calendar,
  tongue: Tongue,
  format?: Format,
): string {
  const submittedAt = `(${startMs} + n.id * ${stepMs})`
  const date = format === 'xml' ? tongue.aestIso(submittedAt) : tongue.text(submittedAt)
  const id = tongue.text('n.id')
  const own: Record<string, string> = {
    advertiser_id: `case when n.id % ${neighbourEvery} = 0 then ${neighbour} else ${owner} end`,
    id: 'n.id',
    application_id: 'n.id',
    submitted_at: submittedAt,
    uploaded_at: submittedAt,
    changed_at: submittedAt,
    blob: `'20260101/00/' || ${id} || '-' || t.type`,
    body: `replace(replace(t.body, '${idMark}', ${id}), '${dateMark}', ${date})`,
  }
  const values = columns.map(column => own[column] ?? `t.${column}`)
  return `insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')} from ${tongue.numbers(firstId, lastId)}
    join ${templateOf(table)} t on t.${keyOf(table)} = n.id % ${templateCount}
    ${format === undefined ? '' : `and t.format = '${format}'`}`
}
