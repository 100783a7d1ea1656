import { parseArgs } from 'node:util'

/** The parts that can be measured on their own. */
export const parts = [
  'process',
  'lists',
  'files',
  'pages',
  'oauth',
  'tails',
  'disk',
  'apply',
  'progress',
  'alternatives',
  'sdk',
  'events',
] as const
/** These take minutes: measured only when they are named. */
const rare = ['backup', 'soak', 'country'] as const
export type Part = (typeof parts)[number] | (typeof rare)[number]

export interface Options {
  parts: readonly Part[]
  /** How long a soak or a country's load lasts, if given. */
  minutes: number | undefined
  /** Whether a soak runs on PostgreSQL. */
  isOnPostgres: boolean
  /** A small fill and short turns, to check that everything works. */
  isQuick: boolean
  /** Whether this is a whole run, whose figures are written to files. */
  isWhole: boolean
}

const usage = `Usage: npm run bench [-- [--quick] [part ...]]
       npm run bench -- soak [--quick] [--minutes 30] [--postgres]
       npm run bench -- country [--minutes 10]

Without arguments everything is measured, in about a quarter of an hour, and written to bench/results.md.
Parts: ${parts.join(', ')}; and ${rare.join(', ')}, which run only if they are named. Some of them, or --quick (a small fill and short turns), print and write nothing.
A soak sends requests of all kinds at half of the highest rate, and writes its own section of bench/results.md; so does
a country's load (docs/operating/scaling.md) on PostgreSQL.
`

/** Prints the usage and ends the process on an unknown option. */
export function readOptions(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        minutes: { type: 'string' },
        postgres: { type: 'boolean', default: false },
      },
    })
    const known = positionals.map(name => {
      const part = [...parts, ...rare].find(candidate => candidate === name)
      if (part === undefined) throw new Error(`There is no part "${name}".`)
      return part
    })
    const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
    if (minutes !== undefined && !(minutes > 0)) throw new Error('--minutes needs a number.')
    return {
      parts: known.length === 0 ? parts : known,
      minutes,
      isOnPostgres: values.postgres,
      isQuick: values.quick,
      isWhole: known.length === 0 && !values.quick,
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}
