import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The executable of the checkout, which loads the sources. */
export const checkedOut = fileURLToPath(new URL('../../bin/dossier', import.meta.url))

/** The same with joined modules, if a run has joined them: it starts in half of the time. */
export const executable = process.env['TEST_DOSSIER'] ?? checkedOut

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The name of a script among the joined files. */
export const joinedName = (path: string): string => path.replace(/\.ts$/, '').replaceAll('/', '-')

/** The joined form of this script, if the run has made one. */
function joinedOf(script: string): string {
  const joined = join(dirname(executable), 'bundle', `${joinedName(relative(root, script))}.js`)
  return existsSync(joined) ? joined : script
}

/** In the checkout: a user who can write there can change the code anyway. */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Running {
  child: ChildProcess
  stdout(): string
  stderr(): string
  finished: Promise<Finished>
  /** Resolves with the result of `find` on the output, as soon as it has one. */
  until<T>(find: (stdout: string) => T | undefined): Promise<T>
}

/** The environment of the test must not reach the service: each test chooses its settings. */
const bareEnvironment = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  // Processes of one run share their compile cache.
  NODE_COMPILE_CACHE: compileCache,
}

export function startDossier(args: string[], settings: Record<string, string> = {}): Running {
  return startNode(executable, args, settings)
}

export function startNode(script: string, args: string[], settings: NodeJS.ProcessEnv = {}): Running {
  return watch(
    spawn(process.execPath, [joinedOf(script), ...args], {
      env: { ...bareEnvironment, ...settings },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
}

/** Runs `dossier <args>` as `"$0" "$@"` of a shell script. */
export function startInShell(script: string, args: string[], settings: Record<string, string>): Running {
  return watch(
    spawn('sh', ['-c', script, process.execPath, executable, ...args], {
      env: { ...bareEnvironment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

export function watch(child: ChildProcess): Running {
  const printed = gather()
  child.stdout?.setEncoding('utf8').on('data', printed.print)
  child.stderr?.setEncoding('utf8').on('data', printed.complain)
  const finished = once(child, 'close').then(([code, signal]) => ({ code, signal, ...printed.all() }))
  return {
    child,
    stdout: () => printed.all().stdout,
    stderr: () => printed.all().stderr,
    finished,
    until: find => printed.until(find, finished),
  }
}

/** Everything printed, from any stream, for a caller that waits for a part of it. */
export function gather() {
  let stdout = ''
  let stderr = ''
  const changed = new EventTarget()
  return {
    print(text: string): void {
      stdout += text
      changed.dispatchEvent(new Event('change'))
    },
    complain(text: string): void {
      stderr += text
    },
    all: () => ({ stdout, stderr }),
    until: <T>(find: (stdout: string) => T | undefined, finished: Promise<unknown>): Promise<T> =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = find(stdout)
          if (found === undefined) return
          changed.removeEventListener('change', look)
          resolve(found)
        }
        changed.addEventListener('change', look)
        look()
        finished.then(() => reject(new Error(`it ended before that:\n${stdout}\n${stderr}`)))
      }),
  }
}

/** The first line of a JSON log with this message. */
export function findLogLine(stdout: string, message: string): Record<string, unknown> | undefined {
  // A waiting caller checks all lines again with each new one: most lines are not worth parsing.
  const written = JSON.stringify(message)
  for (const line of stdout.split('\n').slice(0, -1)) {
    if (line.startsWith('{') && line.includes(written)) {
      const entry = JSON.parse(line)
      if (entry.msg === message) return entry
    }
  }
  return undefined
}
