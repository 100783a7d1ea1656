import { checkBackups } from '../../operator/checks/file-checks.ts'
import { checkDataChanges } from '../../operator/checks/service-checks.ts'
import type { CheckResult } from '../../operator/home/ports.ts'
import { flag, requiredOption } from '../../platform/cli/arguments.ts'
import { migrationLockMs } from '../../platform/database/migrating/migration.ts'
import type { Config } from '../../settings.ts'
import type { App } from '../app.ts'
import { createCheckReport } from '../process/check-results.ts'
import { commandLog, configOf, describeWaiting } from '../process/context.ts'
import { plainCommand } from './command.ts'

/** Run with the new release while the old one continues to serve. */
export const upgrade = plainCommand({
  about: 'Show what an upgrade to this release would do and what would block it; changes nothing.',
  options: {
    check: requiredOption('', 'required, because "dossier migrate" does it'),
    json: flag('print JSON'),
  },
  async run(context, { json }) {
    const { openApp } = await import('../app.ts')
    const config = configOf(context)
    const app = await openApp(config, commandLog(context))
    const { report, end } = createCheckReport(context, json)
    try {
      for await (const result of resultsOf(app, config)) report(result)
    } finally {
      await app.close()
    }
    end()
  },
})

async function* resultsOf(app: App, config: Config): AsyncGenerator<CheckResult> {
  const { schema, release, database, disk } = app.platform
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
      says: `${name}${does === undefined ? '' : `: ${does}`}; ${locksOf(database, isBuiltBeside)}${changesData ? '; background work changes rows in batches afterwards' : ''}; ${mark.oldest} and later run on it, so you can go back to ${mark.oldest === release ? 'none before' : mark.oldest}`,
    }
  const releases = Object.entries(Object.groupBy(nodes, node => node.release))
  const running = releases.map(([each, list = []]) => `${list.length} of ${each}`).join(', ')
  yield {
    what: 'nodes',
    isFine: waiting === undefined,
    says: waiting === undefined ? running || 'none is running' : `${running}: ${describeWaiting(waiting)}`,
  }
  const changes = isMigrated || state.state === 'waiting' ? await checkDataChanges(app.upkeep) : undefined
  if (changes !== undefined) yield changes
  if (isMigrated) return
  if (state.state !== 'older' || !state.isNew) yield await checkBackups(app, config)
  if (copyBytes === undefined) return
  const { freeBytes } = await disk.look()
  const sizes = `the copy before it needs up to ${inMb(copyBytes)}, ${inMb(freeBytes)} are free`
  yield { what: 'disk', isFine: freeBytes > copyBytes, says: sizes }
}

function locksOf({ dialect }: App['platform']['database'], isBuiltBeside: boolean): string {
  if (dialect === 'sqlite') return 'writes wait until it is done'
  return isBuiltBeside
    ? 'requests go on while they are built'
    : `requests wait at most ${migrationLockMs} ms for its locks, then pass before it tries again`
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`
