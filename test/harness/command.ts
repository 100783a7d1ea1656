import { run } from '../../src/assembly/commands/program.ts'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { systemClock } from '../../src/platform/core/clock.ts'
import { type Finished, gather, type Running } from './process.ts'

/** `dossier <args>` in this process, which costs a hundredth of a separate one. */
export interface RunningHere extends Pick<Running, 'until' | 'stdout'> {
  finished: Promise<Outcome>
  /** The effect of SIGTERM on a process. */
  stop(): void
  /** Before that, SIGTERM would end a process without order. */
  listensForStop(): boolean
}

export type Outcome = Pick<Finished, 'code' | 'stdout' | 'stderr'>

export function startHere(args: string[], environment: Record<string, string> = {}): RunningHere {
  const { print, complain, all, until } = gather()
  const { promise: stopRequested, resolve } = Promise.withResolvers<string>()
  let isListening = false
  const context = {
    environment,
    user: 'tester',
    print,
    complain,
    isTerminal: false,
    untilStopRequested() {
      isListening = true
      return stopRequested
    },
    onRestartRequested: () => {},
    openWorkers: () => Promise.reject(new Error('workers are processes: start the executable')),
  }
  // As in a process of its own, where nothing acts by default.
  const finished = withAuditContext({ clock: systemClock }, () => run(args, context)).then(code => ({
    code,
    ...all(),
  }))
  return {
    finished,
    stdout: () => all().stdout,
    until: find => until(find, finished),
    stop: () => resolve('SIGTERM'),
    listensForStop: () => isListening,
  }
}

/** Runs to its end: a service that comes up stops again at once. */
export function runHere(args: string[], settings: Record<string, string> = {}): Promise<Outcome> {
  const running = startHere(args, settings)
  running.stop()
  return running.finished
}
