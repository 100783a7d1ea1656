import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { omarId } from '../../src/demo/world/world.ts'
import { formTo } from '../harness/html-form.ts'
import { Browser } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'

inDemoWorldInTurn('pages of the operator: mistakes and filters', world => {
  let omar: Browser
  const services = () => world().services

  before(async () => {
    omar = new Browser(world().door)
    await omar.signIn('omar@example.com')
    await services()
      .database.writer.updateTable('sessions')
      .set({ factors: 'password totp' })
      .where('candidate_id', '=', omarId)
      .execute()
  })

  test('what is wrong with a new client names its field, and the form keeps what was typed', async () => {
    const page = '/operator/clients'
    const fields = { id: 'eastwind', name: 'Eastwind', redirectUri: 'https://east.example/back' }
    for (const [wrong, fault] of [
      [{ agentId: 'x' }, /#agentId">ID of its agent \(optional\): It must be a positive whole number\./],
      [{ agentId: '99' }, /#agentId">ID of its agent \(optional\): There is no agent 99\./],
      [{ advertiser: '10000001 99' }, /#advertiser">Companies: There is no company 99\./],
      [{ id: 'a b' }, /#id">Client ID: The ID must have/],
      [{ scope: 'everything' }, /#scope">Scopes: Unknown scope everything/],
    ] as const) {
      const form = formTo(page, (await omar.get(page)).text)
      const answer = await omar.submit(form, { fields: { ...fields, ...wrong } })
      assert.equal(answer.status, 422)
      assert.match(answer.text, fault)
      assert.match(answer.text, /name="name" value="Eastwind"/)
    }
    assert.equal(await services().clients.find('eastwind'), undefined)
  })

  test('the audit log is filtered by what was done and by days', async () => {
    const filtered = async (query: string) => (await omar.get(`/operator/audit?${query}`)).text
    const all = await filtered('')
    const agents = await filtered('action=agent')
    for (const action of ['agent.add', 'client.add']) assert.ok(all.includes(action), action)
    assert.ok(agents.includes('agent.add') && !agents.includes('client.add'))
    assert.match(agents, /<option value="agent" selected>/)
    assert.match(await filtered('to=2020-01-01'), /No entries match/)
    assert.ok((await filtered('from=2020-01-01&action=client')).includes('client.add'))
    assert.equal((await omar.get('/operator/audit?action=x%27&from=yesterday&before=no')).status, 200)
  })
})
