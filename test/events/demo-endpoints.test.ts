import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareDemoHooks } from '../../src/assembly/demo.ts'
import { actAs, asTask } from '../../src/core/async/acting.ts'
import { demoAgents, demoWebhookId } from '../../src/demo/world/world.ts'
import { withDemo } from '../harness/database.ts'

withDemo('the endpoints of the demo', services => {
  test('a node that looked before another node added them starts too', async () => {
    const { clock, demoHooks, webhooks } = services()
    const late = { ...services(), webhooks: { ...webhooks, list: async () => [] } }
    await actAs(asTask('demo', clock), async () => {
      for (const node of [services(), late]) await prepareDemoHooks(node, 'https://dossier.example')
    })
    assert.equal(demoHooks.secrets.length, 6)
    const [one, ...others] = await webhooks.list({ agentId: demoAgents[0].id })
    assert.deepEqual([one?.id, others], [demoWebhookId, []])
  })
})
