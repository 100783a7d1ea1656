import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Figures of a process from the operating system. Exact on Linux; elsewhere from `ps`, or null. */

const ticksPerSecond = 100
const kibPerMib = 1024

/** User and system time of a process and of all its descendants, ended ones included; null if unknown. */
export function cpuSeconds(pid: number): number | null {
  const stat = readOrNull(`/proc/${pid}/stat`)
  const children = readOrNull(`/proc/${pid}/task/${pid}/children`)
  if (stat === null || children === null) return null
  // The name in parentheses may contain spaces. After it, utime, stime, cutime and cstime are the 12th to 15th field.
  const times = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  const own = times.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  const living = children.split(' ').filter(child => child !== '')
  return living.reduce((sum, child) => sum + (cpuSeconds(Number(child)) ?? 0), own)
}

export function residentMib(pid: number): number {
  return statusMib(pid, 'VmRSS') ?? Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / kibPerMib
}

/** Memory that belongs to this process alone, without mapped files; null if unknown. */
export const privateMib = (pid: number): number | null => statusMib(pid, 'RssAnon')

/** Open files, sockets and other handles of the system; null if unknown. */
export function descriptorsOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    // No /proc.
    return null
  }
}

/**
 * Watches how far the memory of a process rises above its current level: with the kernel's high-water mark, which misses no
 * peak, or with samples if there is none.
 */
export function watchGrowth(pid: number): { readMib(): number; stop(): void } {
  const before = residentMib(pid)
  const hasPeak = resetPeak(pid)
  let peak = before
  const look = () => {
    peak = Math.max(peak, hasPeak ? (statusMib(pid, 'VmHWM') ?? 0) : residentMib(pid))
  }
  const timer = hasPeak ? undefined : setInterval(look, 20)
  return {
    readMib() {
      look()
      return peak - before
    },
    stop: () => clearInterval(timer),
  }
}

/** 5 resets the high-water mark of the resident set to its current size. */
function resetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    return true
  } catch {
    // Not Linux, or not allowed: use the samples.
    return false
  }
}

function statusMib(pid: number, field: string): number | null {
  const value = readOrNull(`/proc/${pid}/status`)?.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1]
  return value === undefined ? null : Number(value) / kibPerMib
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // No such process, or no /proc.
    return null
  }
}
