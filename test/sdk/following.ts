import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache, gather, type Running, watch } from '../harness/process.ts'
import { follow } from './follower.ts'

export const sdkLanguages = ['typescript', 'python'] as const
export type SdkLanguage = (typeof sdkLanguages)[number]

/** What a follower does. */
export interface Follow {
  how: 'batches' | 'transactions' | 'store' | 'applications'
  url: string
  /** A file; the cursor is kept in it, or beside it. */
  store: string
  wait: number
  limit: number
  credential?: string
  /** Follows as the agent of the demo. */
  isAgent?: boolean
  cursor?: string
  onGap?: boolean
  /** Kills itself at the moment with this number. */
  killAt?: number
}

/** A line that a follower prints. */
export interface Told {
  batch?: string[]
  cursor?: string
  event?: string
  saved?: string
  retry?: string
  gap?: string
  application?: number
  job?: string | undefined
  erased?: number
  withdrawn?: number
  file?: number
  type?: string
  isInfected?: boolean
  ended?: boolean
  error?: string
}

export interface Follower {
  /** Resolves with everything it told, when it has ended by itself. */
  finished: Promise<Told[]>
  /** Resolves with what it has told, as soon as that is enough. */
  until(isEnough: (told: Told[]) => boolean): Promise<Told[]>
  /** Asks it to end, and resolves with everything it told. */
  stop(): Promise<Told[]>
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const linesOf = (stdout: string): Told[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

const enough = (isEnough: (told: Told[]) => boolean) => (stdout: string) => {
  const told = linesOf(stdout)
  return isEnough(told) ? told : undefined
}

/** Runs a program of this folder in a process of its own. */
export function startProgram(name: string, env: Record<string, string>): Running {
  const command = name.endsWith('.py') ? 'python3' : process.execPath
  const surroundings = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: compileCache,
    SDK: pathOf('../../sdk/python'),
  }
  return watch(spawn(command, [pathOf(name)], { env: { ...surroundings, ...env } }))
}

/** A follower in a process of its own. */
export function startFollowerProcess(language: SdkLanguage, settings: Follow): Running {
  const name = language === 'python' ? 'follower.py' : 'follower-process.ts'
  return startProgram(name, { FOLLOW: JSON.stringify(settings) })
}

/** In this process if it can be. */
export function startFollower(language: SdkLanguage, settings: Follow): Follower {
  if (language === 'typescript') return startFollowerHere(settings)
  const { child, finished, until } = startFollowerProcess(language, settings)
  const ended = finished.then(({ stdout, stderr }) => {
    if (stderr !== '') throw new Error(stderr)
    return linesOf(stdout)
  })
  return {
    finished: ended,
    until: isEnough => until(enough(isEnough)),
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

function startFollowerHere(settings: Follow): Follower {
  const printed = gather()
  const stop = new AbortController()
  const finished = follow(settings, {
    signal: stop.signal,
    tell: told => printed.print(`${JSON.stringify(told)}\n`),
    point() {},
  }).then(() => linesOf(printed.all().stdout))
  return {
    finished,
    until: isEnough => printed.until(enough(isEnough), finished),
    stop() {
      stop.abort()
      return finished
    },
  }
}
