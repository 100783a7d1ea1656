import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { checkBackups } from '../../assembly/checks/file-checks.ts'
import { checkDataChanges } from '../../assembly/checks/service-checks.ts'
import type { Config } from '../../config.ts'
import type { Finding } from '../../operator/home/ports.ts'
import { type Context, commandLog, configOf, describeWaiting } from '../terminal/context.ts'
import { createFindings } from '../terminal/findings.ts'

/** Run with the new release beside the old one, which goes on serving. */
export function addUpgrade(program: Command, context: Context): void {
  program
    .command('upgrade')
    .description('Show what an upgrade to this release would do and what would block it; changes nothing.')
    .requiredOption('--check', 'required, because "dossier migrate" does it')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { openServices } = await import('../../app.ts')
      const config = configOf(context)
      const services = await openServices(config, commandLog(context))
      const { report, end } = createFindings(context, json)
      try {
        for await (const finding of findingsOf(services, config)) report(finding)
      } finally {
        await services.close()
      }
      end()
    })
}

async function* findingsOf(services: Services, config: Config): AsyncGenerator<Finding> {
  const { schema, release, database, disk } = services
  const { state, missing, unknown, nodes, waiting, copyBytes } = await schema.plan()
  if (unknown.length > 0) {
    const says = `${release} is older than the schema (${unknown.join(', ')}) ${state.state === 'newer' && state.fits ? 'and runs on it' : 'and cannot run on it'}`
    yield { what: 'release', isFine: state.state === 'newer' && state.fits, says }
    return
  }
  const isMigrated = missing.length === 0
  const when = database.dialect === 'sqlite' ? 'the next start migrates' : 'run "dossier migrate"'
  yield {
    what: 'release',
    isFine: true,
    says: isMigrated ? `${release}, the schema is current` : `${release}: ${when}`,
  }
  for (const { name, mark, does, isBuiltBeside, changesData } of missing)
    yield {
      what: mark.kind,
      isFine: true,
      says: `${name}${does === undefined ? '' : `: ${does}`}; ${locksOf(database, isBuiltBeside, config)}${changesData ? '; background work changes rows in batches afterwards' : ''}; ${mark.oldest} and later run on it, so you can go back to ${mark.oldest === release ? 'none before' : mark.oldest}`,
    }
  const releases = Object.entries(Object.groupBy(nodes, node => node.release))
  const running = releases.map(([each, list = []]) => `${list.length} of ${each}`).join(', ')
  yield {
    what: 'nodes',
    isFine: waiting === undefined,
    says: waiting === undefined ? running || 'none is running' : `${running}: ${describeWaiting(waiting)}`,
  }
  const changes = isMigrated || state.state === 'waiting' ? await checkDataChanges(services) : undefined
  if (changes !== undefined) yield changes
  if (isMigrated) return
  if (state.state !== 'older' || !state.isNew) yield await checkBackups(services, config)
  if (copyBytes === undefined) return
  const { freeBytes } = await disk.look()
  const sizes = `the copy before it needs up to ${inMb(copyBytes)}, ${inMb(freeBytes)} are free`
  yield { what: 'disk', isFine: freeBytes > copyBytes, says: sizes }
}

function locksOf({ dialect }: Services['database'], isBuiltBeside: boolean, { limits }: Config): string {
  if (dialect === 'sqlite') return 'writes wait until it is done'
  return isBuiltBeside
    ? 'requests go on while they are built'
    : `requests wait at most ${limits.migrationLockMs} ms for its locks, then pass before it tries again`
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`
