import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from './postgres.ts'

/**
 * Kills the postmaster and all its processes at once, as a power cut would. PostgreSQL gives each of its children its
 * own session, so that the postmaster's process group contains only itself.
 */
export async function pullThePlug(postgres: Postgres): Promise<void> {
  const postmaster = await postmasterOf(postgres)
  // Stopped first: it must not see its children die or start new ones.
  process.kill(postmaster, 'SIGSTOP')
  const children = await childrenOf(postmaster)
  for (const child of children) signal(child, 'SIGKILL')
  await postgres.kill()
  // The next start is refused as long as one of the old processes still has the shared memory.
  for (const child of children) {
    while (await isThere(child)) await sleep(5)
  }
}

/** Suspends every process of the server, as a broken network would: no response, and no end either. */
export async function freeze(postgres: Postgres): Promise<{ thaw(): void }> {
  const postmaster = await postmasterOf(postgres)
  process.kill(postmaster, 'SIGSTOP')
  const all = [postmaster, ...(await childrenOf(postmaster))]
  for (const pid of all) signal(pid, 'SIGSTOP')
  return {
    thaw: () => {
      for (const pid of all) signal(pid, 'SIGCONT')
    },
  }
}

async function postmasterOf(postgres: Postgres): Promise<number> {
  const folder = new URL(postgres.url('postgres')).searchParams.get('host') ?? ''
  const [pid] = (await readFile(join(folder, 'data/postmaster.pid'), 'utf8')).split('\n')
  return Number(pid)
}

async function childrenOf(parent: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(processes.map(parentOf))
  return processes.filter((_, index) => parents[index] === parent)
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await statOf(pid)
  // After the name, which is in brackets and may contain anything: state, parent.
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

async function isThere(pid: number): Promise<boolean> {
  const stat = await statOf(pid)
  return stat !== undefined && stat[stat.lastIndexOf(')') + 2] !== 'Z'
}

function statOf(pid: number): Promise<string | undefined> {
  return readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It has just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
