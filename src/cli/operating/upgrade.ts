import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import type { Finding } from '../../model/finding.ts'
import { type Context, commandLog, configOf, describeWaiting } from '../terminal/context.ts'
import { createFindings } from '../terminal/findings.ts'

/** Run with the new release beside the old one, which goes on serving. */
export function addUpgrade(program: Command, context: Context): void {
  program
    .command('upgrade')
    .description('Say what an upgrade to this release would do and what is in its way; changes nothing.')
    .requiredOption('--check', 'required, because "dossier migrate" does it')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { openServices } = await import('../../app.ts')
      const services = await openServices(configOf(context), commandLog(context))
      const { report, end } = createFindings(context, json)
      try {
        for await (const finding of findingsOf(services)) report(finding)
      } finally {
        await services.close()
      }
      end()
    })
}

async function* findingsOf({ schema, release, database, disk }: Services): AsyncGenerator<Finding> {
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
  for (const { name, mark } of missing)
    yield {
      what: mark.kind,
      isFine: true,
      says: `${name}; ${mark.oldest} and later run on it, so you can go back to ${mark.oldest === release ? 'none before' : mark.oldest}`,
    }
  const releases = Object.entries(Object.groupBy(nodes, node => node.release))
  const running = releases.map(([each, list = []]) => `${list.length} of ${each}`).join(', ')
  yield {
    what: 'nodes',
    isFine: waiting === undefined,
    says: waiting === undefined ? running || 'none is running' : `${running}: ${describeWaiting(waiting)}`,
  }
  if (copyBytes === undefined || isMigrated) return
  const { freeBytes } = await disk.look()
  const sizes = `the copy before it needs up to ${inMb(copyBytes)}, ${inMb(freeBytes)} are free`
  yield { what: 'disk', isFine: freeBytes > copyBytes, says: sizes }
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`
