import { existsSync, readdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from './polling.ts'
import { asOwner, createServerFolder, type Postgres, postgresIn } from './postgres.ts'

const versions = '/usr/lib/postgresql'

/** The folder of the newest PostgreSQL of Debian with its server and its client tools; undefined if there is none. */
export function findDebianPostgres(): string | undefined {
  const installed = existsSync(versions) ? readdirSync(versions) : []
  const programs = ['postgres', 'pg_dump', 'pg_restore', 'pg_basebackup']
  return installed
    .toSorted((a, b) => Number(b) - Number(a))
    .map(version => join(versions, version))
    .find(folder => programs.every(program => existsSync(join(folder, 'bin', program))))
}

export interface DebianPostgres extends Postgres {
  /** Runs one of its client tools in the server's folder, as its owner. */
  tool(name: string, ...args: string[]): Promise<unknown>
  /** Returns how to bring the whole server back to this moment, from its base backup and the archive of its log. */
  rememberMoment(name: string): Promise<() => Promise<void>>
}

/**
 * A server of Debian with a base backup, which archives its log. npm's server has no client tools, and pg_dump refuses
 * servers that are newer than itself.
 */
export async function startDebianPostgres(installed: string): Promise<DebianPostgres> {
  const folder = await createServerFolder(installed)
  const tool = (name: string, ...args: string[]) => asOwner(folder, join(folder, 'native/bin', name), args)
  const shell = (line: string) => asOwner(folder, 'sh', ['-c', line])
  const options = ['-U', 'dossier', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8']
  await tool('initdb', '-D', 'data', ...options)
  await shell('mkdir archive')
  const server = postgresIn(folder, {
    fsync: 'off',
    archive_mode: 'on',
    archive_command: `cp %p ${folder}/archive/%f`,
    restore_command: `cp ${folder}/archive/%f %p`,
  })
  await server.start()
  await tool('pg_basebackup', '-h', folder, '-U', 'dossier', '-D', 'base', '--checkpoint=fast')

  return {
    ...server,
    tool,
    async rememberMoment(name) {
      const [row] = await server.query(`select pg_create_restore_point('${name}'),
        ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`)
      return async () => {
        await server.halt()
        // As the manual advises, with what was not archived yet.
        await shell(
          'cd data/pg_wal; for each in 0*; do test -e ../../archive/$each || cp $each ../../archive; done',
        )
        await rm(join(folder, 'data'), { recursive: true })
        await shell('cp -Rp base data; touch data/recovery.signal')
        const target = [
          `recovery_target_name = '${name}'`,
          `recovery_target_timeline = '${row?.['timeline']}'`,
          `recovery_target_action = 'promote'`,
        ]
        await writeFile(join(folder, 'data/postgresql.auto.conf'), `${target.join('\n')}\n`)
        await server.start()
        await until(async () => {
          const [state] = await server.query('select pg_is_in_recovery() as recovers')
          return state?.['recovers'] === false
        })
      }
    },
  }
}
