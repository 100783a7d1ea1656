import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** Begins each line of the reporter: tests may print lines of their own. */
export const eventMark = '\u0001'

export interface TestReport {
  /** Absolute path of the file that declares the test. */
  file: string
  /** The names of the suites around it, and its own. */
  name: string
  /** Undefined for a suite whose tests have their own reports. */
  outcome: 'passed' | 'failed' | 'skipped' | undefined
  fault: string | undefined
  /** Of a test or suite at the top level, with its hooks; 0 for those within it. */
  ms: number
}

/** What a process of tests says to the run. One that ends without the last has died, whatever its exit code says. */
export type RunnerEvent = TestReport | { running: string } | { isOver: true }

export const eventLine = (event: RunnerEvent): string => `${eventMark}${JSON.stringify(event)}\n`

/** A reporter for node:test that prints a line of JSON for each finished test and suite. */
export async function* eventLines(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const names: string[] = []
  for await (const event of source) {
    if (event.type === 'test:start') {
      names.length = event.data.nesting
      names.push(event.data.name)
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { file = '', name, nesting, details, skip } = event.data
    const error = event.type === 'test:fail' ? event.data.details.error : undefined
    const isSkipped = skip !== undefined && skip !== false
    // A suite counts only when it says more than its tests: it is skipped, or its own hook fails.
    const isCovered = details.type === 'suite' && (error === undefined || isOfTests(error)) && !isSkipped
    const report: TestReport = {
      file,
      name: [...names.slice(0, nesting), name].join(' > '),
      outcome: isCovered ? undefined : error !== undefined ? 'failed' : isSkipped ? 'skipped' : 'passed',
      fault: error === undefined ? undefined : readable(error.cause ?? error),
      ms: nesting === 0 ? details.duration_ms : 0,
    }
    yield eventLine(report)
  }
}

const isOfTests = (error: Error) => 'failureType' in error && error.failureType === 'subtestsFailed'

const maxLineLength = 500

/** Without the frames of Node itself, and with long lines cut off: the full report has both. */
export function readable(error: unknown): string {
  const lines = inspect(error)
    .split('\n')
    .filter(line => !/^ +at .*\bnode:(internal\/|async_hooks)/.test(line))
  return lines.map(line => line.slice(0, maxLineLength)).join('\n')
}
