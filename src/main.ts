import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type {
  FromWorker,
  StartWorker,
  Supervisor,
  ToWorker,
  WorkerExit,
} from './assembly/process/worker-process.ts'
import { createOutput } from './platform/cli/output.ts'

/** The only file that reads the environment, arguments and signals of the process, and that starts other processes. */

/** Set by our supervisor for each worker: the worker's number. */
const workerVariable = 'DOSSIER_WORKER'
const workerNumber = process.send === undefined ? 0 : Number(process.env[workerVariable] ?? 0)
const isWorker = workerNumber > 0

// Read before the rest is loaded, which takes a while: a launcher may be killed in the meantime.
const { npm_lifecycle_event: npmEvent, DOSSIER_LAUNCHER: launcher } = process.env
const isLaunched = !isWorker && (npmEvent === 'npx' || launcher !== undefined)
const launchers = isLaunched ? launchersOf(Number(launcher ?? process.ppid)) : undefined
const [{ run }, { exitCodes }] = await Promise.all([
  import('./assembly/commands/program.ts'),
  import('./platform/cli/command-error.ts'),
])

const output = createOutput(process.stdout, isWorker)
process.on('exit', output.flush)
// This error cannot be reported anywhere.
process.stderr.on('error', () => {})

const stop = Promise.withResolvers<string>()
let leaveSupervisor = () => {}
// By default a closing terminal stops the process gracefully; a supervisor restarts its workers instead.
let onHangUp = () => stop.resolve('SIGHUP')
const supervisor = isWorker ? await joinSupervisor() : undefined

const exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  user: systemUser(),
  print: output.print,
  complain: text => {
    // Keeps the order of lines on a terminal, which shows both streams.
    output.flush()
    process.stderr.write(text)
  },
  onLinesLost: output.onLinesLost,
  isTerminal: process.stderr.isTTY === true,
  untilStopRequested: () => {
    // Under npm, Ctrl-C arrives twice, from the terminal and from npm: a second signal must not mean "faster".
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.resolve(signal))
    process.on('SIGHUP', () => onHangUp())
    if (launchers !== undefined) stopWithout(launchers)
    return stop.promise
  },
  onRestartRequested: listener => {
    onHangUp = listener
  },
  openWorkers,
  ...(supervisor === undefined ? {} : { worker: supervisor }),
})
leaveSupervisor()
const failure = await output.failure()
if (failure !== undefined)
  process.stderr.write(`dossier: the output could not be written (${failure.message})\n`)
process.exitCode = failure === undefined ? exitCode : exitCode || exitCodes.failed
// Exit before Node closes databases that are still open: that would copy data that may be lost, see decision 105.
process.on('exit', () => process.exit())

/** In a container, the user ID may have no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

/**
 * Stops the process when its launcher is gone. npx passes SIGTERM and SIGINT only to a shell, which dies without passing
 * them on, and no other signals at all; the launcher in bin/dossier cannot pass on SIGKILL.
 */
function stopWithout(launchers: string): void {
  const watch = setInterval(() => {
    if (launchersOf(process.ppid) !== launchers) stop.resolve('the launcher is gone')
  }, 250)
  watch.unref()
}

/**
 * The process IDs from this parent up to npx. Without /proc only the parent, because shells there replace themselves.
 */
function launchersOf(parent: number): string {
  const pids = [parent]
  try {
    for (let pid = parent; readProcess(pid, 'environ').includes('npm_lifecycle_event=npx\0'); ) {
      // The second field after the name, which is in parentheses and may contain spaces.
      pid = Number(/.*\) \S+ (\d+)/s.exec(readProcess(pid, 'stat'))?.[1])
      pids.push(pid)
    }
  } catch {
    // The process has just ended, or belongs to another user.
  }
  return pids.join()
}

function readProcess(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'latin1')
}

async function openWorkers(): Promise<StartWorker> {
  const { default: cluster } = await import('node:cluster')
  // JSON has no NaN and Infinity, which metrics may contain.
  cluster.setupPrimary({ serialization: 'advanced' })
  return (number, settings) => {
    const child = cluster.fork({ ...settings, [workerVariable]: String(number) })
    const { promise: exited, resolve } = Promise.withResolvers<WorkerExit>()
    child.on('exit', (code: number | null, signal: string | null) => resolve({ code, signal }))
    // Sending to an exiting worker fails; its exit event follows.
    child.on('error', () => {})
    return {
      pid: child.process.pid,
      exited,
      tell: (message: ToWorker) => void (child.isConnected() && child.send(message)),
      onMessage: listener => void child.on('message', listener),
      kill: () => void child.process.kill('SIGKILL'),
    }
  }
}

async function joinSupervisor(): Promise<Supervisor> {
  const { default: cluster } = await import('node:cluster')
  let onFiguresWanted = () => {}
  let onChanged: Parameters<Supervisor['onChanged']>[0] = () => {}
  let hasBegun = false
  process.on('message', (message: ToWorker) => {
    if ('stop' in message) stop.resolve(message.stop)
    else if ('changed' in message) onChanged(message.changed)
    else onFiguresWanted()
  })
  cluster.worker?.on('disconnect', () => {
    // By default a worker exits immediately. That is right before it serves; afterwards its requests must end first.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = hasBegun
    stop.resolve('the supervisor is gone')
  })
  // Sending to a supervisor that is gone fails; see "disconnect" above.
  cluster.worker?.on('error', () => {})
  leaveSupervisor = () => {
    hasBegun = true
    if (process.connected) process.disconnect()
  }
  // The terminal signals all processes, but only the supervisor decides what SIGHUP means.
  onHangUp = () => {}
  return {
    number: workerNumber,
    tell: (message: FromWorker) =>
      new Promise(resolve => {
        hasBegun ||= 'up' in message
        if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
        else resolve()
      }),
    onFiguresWanted: listener => {
      onFiguresWanted = listener
    },
    onChanged: listener => {
      onChanged = listener
    },
  }
}
