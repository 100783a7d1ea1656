/** The parts that can be measured on their own. */
export const parts = [
  'process',
  'lists',
  'files',
  'pages',
  'oauth',
  'tails',
  'apply',
  'sdk',
  'events',
] as const
/** Takes minutes with a million applications: measured only when it is named. */
const rare = ['backup'] as const
export type Part = (typeof parts)[number] | (typeof rare)[number]

export interface Options {
  parts: readonly Part[]
  /** A small fill and short turns, to check that everything works. */
  isQuick: boolean
  /** Whether this is a whole run, whose figures are written to files. */
  isWhole: boolean
}

const usage = `Usage: npm run bench [-- [--quick] [part ...]]

Without arguments everything is measured, in about six minutes, and written to bench/results.md.
Parts: ${parts.join(', ')}; and ${rare.join(', ')}, which runs only if it is named. Some of them, or --quick (a small fill and short turns), print and write nothing.
`

/** Prints the usage and ends the process on an unknown option. */
export function readOptions(args: readonly string[]): Options {
  const isQuick = args.includes('--quick')
  const named = args.filter(arg => arg !== '--quick')
  const known = named.filter((arg): arg is Part => [...parts, ...rare].includes(arg as Part))
  if (known.length !== named.length) {
    console.error(usage)
    process.exit(2)
  }
  return {
    parts: known.length === 0 ? parts : known,
    isQuick,
    isWhole: known.length === 0 && !isQuick,
  }
}
