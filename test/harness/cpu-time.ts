import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Processor seconds of a process and its descendants, including those that have ended; 0 where there is no /proc. */
export function cpuSeconds(pid: number): number {
  // The name of the program comes before and may contain anything.
  const fields = textOf(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ').map(Number) ?? []
  // Its own time and that of the children it has waited for, in user and system mode.
  const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15)
  const own = (user + system + userOfEnded + systemOfEnded) / ticksPerSecond
  return childrenOf(pid).reduce((seconds, child) => seconds + cpuSeconds(child), own)
}

/** From the process down: reading about every process of the machine takes ten times as long. */
function childrenOf(pid: number): number[] {
  const threads = namesIn(`/proc/${pid}/task`)
  return threads
    .flatMap(thread => textOf(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter(id => id !== '')
    .map(Number)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty once the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
