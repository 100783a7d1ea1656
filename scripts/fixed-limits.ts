import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../src')

/** A constant beside the code that it bounds. The comment begins with "Limit:" and gives the reason. */
const declaration =
  /^\/\*\*\s+(?:\* )?Limit: ((?:(?!\*\/)[\s\S])+?)\s+\*\/\n(?:export )?const (\w+) = (.+)$/gm

/** Bounds that are no settings, for the reference of settings. */
export function fixedLimits() {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  )
  return files.flatMap(file =>
    [...readFileSync(join(source, file), 'utf8').matchAll(declaration)].map(
      ([, reason = '', name = '', value = '']) => ({
        name,
        value: value
          .split(' * ')
          .reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1),
        reason: reason.replaceAll(/\n \* /g, ' '),
      }),
    ),
  )
}
