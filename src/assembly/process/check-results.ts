import type { CheckResult } from '../../operator/home/ports.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import type { Context } from './context.ts'

export const lineOf = ({ what, isFine, isAdvised = false, says }: CheckResult) =>
  `${isAdvised ? 'hint ' : isFine ? 'ok   ' : 'WRONG'}  ${what.padEnd(9)} ${says}`

/** Prints each result at once, because the next one may take a while. */
export function createCheckReport({ print }: Pick<Context, 'print'>, isJson: boolean) {
  const results: CheckResult[] = []
  return {
    report(result: CheckResult): void {
      results.push(result)
      if (!isJson) print(`${lineOf(result)}\n`)
    },
    /** Throws if any result was a failure. */
    end(): void {
      if (isJson) print(`${JSON.stringify(results, null, 2)}\n`)
      const wrong = results.filter(result => !result.isFine).length
      if (wrong > 0) throw new CommandError(`${wrong} of ${results.length} checks failed.`)
    },
  }
}
