import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { omarId } from '../../src/demo/world/world.ts'
import { useSecondFactor } from '../harness/account.ts'
import { formsOf, formTo } from '../harness/html-form.ts'
import { Browser, localPath } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'

inDemoWorldInTurn('pages of the operator: mistakes and filters', (world, { signedIn }) => {
  const omar = signedIn('omar@example.com')
  const services = () => world().services

  before(() => useSecondFactor(services().database, omarId))

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
      const form = await omar.form(page)
      const answer = await omar.submit(form, { fields: { ...fields, ...wrong } })
      assert.equal(answer.status, 422)
      assert.match(answer.text, fault)
      assert.match(answer.text, /name="name" value="Eastwind"/)
    }
    assert.equal(await services().clients.find('eastwind'), undefined)
  })

  test('a form of a client that is rejected leaves the forms beside it as they were', async () => {
    const page = '/operator/clients/demo-ats'
    const before = (await omar.get(page)).text
    const fieldIn = (text: string, name: string) =>
      formsOf(text)
        .flatMap(({ fields }) => fields)
        .find(([each]) => each === name)?.[1]
    const rejected = await omar.submit(formTo(`${page}/privacy`, before), {
      fields: { privacyUrl: 'no address' },
    })
    assert.equal(rejected.status, 422)
    assert.notEqual(fieldIn(before, 'redirectUri') ?? '', '')
    assert.equal(fieldIn(rejected.text, 'redirectUri'), fieldIn(before, 'redirectUri'))
    assert.equal(fieldIn(rejected.text, 'privacyUrl'), 'no address')
  })

  test('a form that is sent twice acts once', async () => {
    const twice = async (page: string, action: string, fields: Record<string, string>) => {
      const form = await omar.form(action, page)
      const first = await omar.submit(form, { fields })
      return [first, await omar.submit(form, { fields })] as const
    }
    const companies = (await services().advertisers.list()).length
    const added = await twice('/operator/companies', '/operator/companies', { name: 'Twice' })
    assert.equal(localPath(added[1]), localPath(added[0]))
    assert.equal((await services().advertisers.list()).length, companies + 1)

    const agents = (await services().agents.list()).length
    await twice('/operator/clients', '/operator/clients/agents', { agentName: 'Twice' })
    assert.equal((await services().agents.list()).length, agents + 1)

    const client = '/operator/clients/twice'
    const fields = { id: 'twice', name: 'Twice', redirectUri: 'https://twice.example/back' }
    const made = await twice('/operator/clients', '/operator/clients', fields)
    assert.match(made[0].text, /id="secret"/)
    assert.equal(localPath(made[1]), `${client}?done=shown-once`)
    assert.match((await omar.get(localPath(made[1]))).text, /shown once/)
    const secrets = async () =>
      (await services().clients.list()).find(({ id }) => id === 'twice')?.secrets ?? assert.fail()
    const rotated = await twice(client, `${client}/rotate`, {})
    assert.match(rotated[0].text, /id="secret"/)
    assert.equal(localPath(rotated[1]), `${client}?done=shown-once`)
    assert.equal(await secrets(), 2)
    const entries = await services()
      .database.reader.selectFrom('audit_entries')
      .select('number')
      .where('action', '=', 'client.secret')
      .where('target', '=', 'client:twice')
      .execute()
    assert.equal(entries.length, 1)
  })

  test('an agent that withdraws a request too late is told so', async () => {
    const nora = await Browser.signedIn(world().door, 'nora@example.com')
    const page = '/agent/20000001/clients/demo-ats'
    const { clientChanges } = services()
    const ask = () => clientChanges.ask('demo-ats', { kind: 'privacy', url: undefined }, 'nora')
    const withdrawal = async () =>
      formsOf((await nora.get(page)).text).find(({ fields }) => fields.some(([name]) => name === 'change')) ??
      assert.fail()
    await ask()
    const late = await withdrawal()
    await clientChanges.confirm((await clientChanges.list())[0]?.id ?? '')
    const answer = await nora.submit(late)
    assert.equal(localPath(answer), `${page}?done=gone`)
    assert.match((await nora.get(localPath(answer))).text, /This request no longer waits/)
    await ask()
    assert.equal(localPath(await nora.submit(await withdrawal())), `${page}?done=withdrawn`)
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
