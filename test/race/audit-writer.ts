import { randomUUID } from 'node:crypto'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { openPatiently } from '../harness/database.ts'
import type { Services } from '../harness/services.ts'

/** Acts in several loops at once, in the chains of companies and of the board; returns how many acts each chain has. */
export async function act(
  services: Services,
  loops: number,
  rounds: number,
  companies: readonly number[],
): Promise<Record<number, number>> {
  const acts: Record<number, number> = {}
  const count = (scope: number) => {
    acts[scope] = (acts[scope] ?? 0) + 1
  }
  const loop = async (own: number) => {
    for (let round = 0; round < rounds; round++) {
      const company = companies[(own + round) % companies.length] ?? 0
      const { id } = await services.credentials.issue(company, 'race', null)
      count(company)
      await services.credentials.revoke(id)
      count(company)
      await services.operators.invite(`${randomUUID()}@example.net`, 'viewer', '')
      count(0)
    }
  }
  const actor = { kind: 'command', id: `writer-${process.pid}`, proof: 'shell' } as const
  await withAuditContext({ clock: services.clock, actor }, () =>
    Promise.all(Array.from({ length: loops }, (_, own) => loop(own))),
  )
  return acts
}

/** As a process: `node audit-writer.ts <loops> <rounds> <company> ...` prints the acts of each chain. */
if (import.meta.main) {
  const [loops = 1, rounds = 1, ...companies] = process.argv.slice(2).map(Number)
  const services = await openPatiently(process.env)
  process.stdout.write(JSON.stringify(await act(services, loops, rounds, companies)))
  await services.close()
}
