import type { Finding } from '../../operator/home/ports.ts'
import { CommandError, type Context } from './context.ts'

export const lineOf = ({ what, isFine, says }: Finding) =>
  `${isFine ? 'ok   ' : 'WRONG'}  ${what.padEnd(9)} ${says}`

/** Prints each finding at once, because the next one may take a while. */
export function createFindings({ print }: Pick<Context, 'print'>, isJson: boolean) {
  const findings: Finding[] = []
  return {
    report(finding: Finding): void {
      findings.push(finding)
      if (!isJson) print(`${lineOf(finding)}\n`)
    },
    /** Throws if any was wrong. */
    end(): void {
      if (isJson) print(`${JSON.stringify(findings, null, 2)}\n`)
      const wrong = findings.filter(finding => !finding.isFine).length
      if (wrong > 0) throw new CommandError(`${wrong} of ${findings.length} checks failed.`)
    },
  }
}
