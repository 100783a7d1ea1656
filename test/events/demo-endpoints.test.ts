import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareDemoHooks } from '../../src/assembly/demo.ts'
import { demoAgents, demoWebhookId } from '../../src/demo/world/world.ts'
import { asTask, withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { withDemo } from '../harness/database.ts'
import { appOf } from '../harness/services.ts'

withDemo('the endpoints of the demo', services => {
  test('a node that looked before another node added them starts too', async () => {
    const { clock, demoHooks, webhooks } = services()
    const late = { ...services(), webhooks: { ...webhooks, list: async () => [] } }
    await withAuditContext(asTask('demo', clock), async () => {
      for (const { platform, webhooks, demo } of [services(), late].map(appOf))
        await prepareDemoHooks(platform, webhooks, demo, 'australia', 'https://dossier.example')
    })
    assert.equal(demoHooks.secrets.length, 6)
    const [one, ...others] = await webhooks.list({ agentId: demoAgents[0].id })
    assert.deepEqual([one?.id, others], [demoWebhookId, []])
  })
})
