import type { Clock } from '../core/clock.ts'
import { numberText } from '../core/locale.ts'

export interface Progress {
  /** `what`: the label before the numbers. */
  show(what: string, done: number, total: number): void
  /** Prints a permanent line above the bar. */
  say(line: string): void
  /** Removes the bar. */
  end(): void
}

const barLength = 24
const redrawMs = 100
const lineEveryMs = 10_000
const lineEvery = 10_000

/** Shows a bar on a terminal; elsewhere, such as in a log, prints a line now and then. */
export function createProgress(
  { complain, isTerminal }: { complain(text: string): void; isTerminal: boolean },
  clock: Clock,
): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  let phase: { what: string; since: number; from: number; lineAt: number; said: number } | undefined

  /** Measures each phase separately, because earlier runs and phases had their own speed. */
  function phaseOf(what: string, done: number, now: number) {
    if (phase?.what !== what) phase = { what, since: now, from: done, lineAt: now, said: done }
    return phase
  }

  function clear(): void {
    if (isDrawn) complain('\r\u001B[K')
    isDrawn = false
  }

  return {
    show(what, done, total) {
      const now = clock()
      const current = phaseOf(what, done, now)
      const speed = () => speedText(done - current.from, total - done, now - current.since)
      if (isTerminal) {
        if (now - drawnAt < redrawMs && done < total) return
        drawnAt = now
        isDrawn = true
        const filled = total === 0 ? barLength : Math.floor((done / total) * barLength)
        const bar = '#'.repeat(filled).padEnd(barLength, '.')
        complain(`\r\u001B[K${what} [${bar}] ${counted(done)}/${counted(total)}${speed()}`)
      } else if (now - current.lineAt >= lineEveryMs || done - current.said >= lineEvery) {
        current.lineAt = now
        current.said = done
        complain(`${what}: ${counted(done)} of ${counted(total)}${speed()}\n`)
      }
    },

    say(line) {
      clear()
      complain(`${line}\n`)
    },

    end: clear,
  }
}

/** `, 3,200/s, 0:31 left` */
function speedText(done: number, left: number, ms: number): string {
  if (done <= 0 || ms < 1_000) return ''
  const perMs = done / ms
  const seconds = Math.max(Math.ceil(left / perMs / 1_000), 0)
  const minutes = Math.floor(seconds / 60)
  const time = `${minutes}:${String(seconds % 60).padStart(2, '0')}`
  return `, ${counted(Math.round(perMs * 1_000))}/s, ${time} left`
}

export function counted(number: number): string {
  return numberText(number)
}
