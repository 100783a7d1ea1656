import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Processor seconds of a process and its descendants, including those that have ended; 0 where there is no /proc. */
export function cpuSeconds(pid: number): number {
  const ticksOf = new Map<number, number>()
  const childrenOf = new Map<number, number[]>()
  for (const { id, parent, ticks } of processes()) {
    ticksOf.set(id, ticks)
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), id])
  }
  const sum = (id: number): number =>
    (childrenOf.get(id) ?? []).reduce((ticks, child) => ticks + sum(child), ticksOf.get(id) ?? 0)
  return sum(pid) / ticksPerSecond
}

function* processes(): Generator<{ id: number; parent: number; ticks: number }> {
  for (const id of namesIn('/proc').filter(name => /^\d+$/.test(name))) {
    // The name of the program comes before and may contain anything.
    const fields = textOf(`/proc/${id}/stat`).split(') ').at(-1)?.split(' ').map(Number) ?? []
    // Its own time and that of the children it has waited for, in user and system mode.
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15)
    yield { id: Number(id), parent: fields[1] ?? 0, ticks: user + system + userOfEnded + systemOfEnded }
  }
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
