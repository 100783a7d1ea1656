import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import { createAttention } from '../../operator/home/service.ts'
import { findingsAtOnce } from '../checks/findings.ts'

/** What the operator's home page shows. Checks and counts need some of the same figures, which are read once. */
export async function lookAtService(all: Services, config: Config, isComplete: boolean) {
  const { deliveries } = all
  const services: Services = {
    ...all,
    deliveries: { ...deliveries, counts: once(deliveries.counts) },
    webhookFigures: once(all.webhookFigures),
  }
  const companies = once(() => all.board.companies('9999'))
  const [findings, attention, known] = await Promise.all([
    findingsAtOnce(services, config, isComplete ? 'usual' : 'quick'),
    attentionOf(services, companies)(),
    companies(),
  ])
  return { findings, attention, isEmpty: known.length === 0 }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= read()
    return result
  }
}

function attentionOf(services: Services, companies: () => ReturnType<Services['board']['companies']>) {
  const { deliveries, webhookFigures, scanner, board, taskRuns, clientChanges } = services
  return createAttention({
    mail: deliveries.counts,
    webhooks: async () => (await webhookFigures()).endpoints,
    async unjudged() {
      if (scanner === undefined) return 0
      return (await board.unjudged()).reduce((sum, { count }) => sum + count, 0)
    },
    failedTasks: async () => (await taskRuns.list()).filter(({ outcome }) => outcome === 'failed').length,
    withoutAdmin: async () => (await companies()).filter(({ admins }) => admins === 0).length,
    clientChanges: async () => (await clientChanges.list()).length,
  })
}
