import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addCandidate } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import type { AgentRole } from '../../model/principal.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { joinEither } from './invitations-service.ts'

const clock = movableClock()
const typed = { firstName: 'Ana', lastName: 'Silva', password: 'a few words that fit' }
const browser = { address: '127.0.0.1', browser: undefined, userAgent: undefined, formerSession: undefined }
const atOnce = times(12, 50)

let people = 0
const newAddress = () => `agent-person-${++people}@example.net`

withServices('who works for an agent', { clock }, services => {
  let agentId = 0
  let advertiserId = 0
  before(async () => {
    agentId = (await services().agents.add('Northwind')).id
    // Companies and agents have IDs of their own, which may be the same.
    advertiserId = (await services().advertisers.add('Harbour', agentId)).id
  })

  const mail = { mailer: undefined, authUrl: () => 'https://auth.example' }
  const invitations = () => services().agentInvitations(mail)
  const links = () => joinEither(services().invitations(mail), invitations())

  async function invite(email: string, role: AgentRole, id = agentId): Promise<string> {
    const result = await invitations().invite(id, email, role)
    assert.equal(result.outcome, 'link')
    return new URL(result.outcome === 'link' ? result.url : '').hash.slice(1)
  }

  async function person(role: AgentRole, id = agentId) {
    const candidateId = newUuid()
    const email = `${candidateId}@example.net`
    await addCandidate(services(), candidateId)
    assert.equal(
      (await links().join(await invite(email, role, id), { candidateId, email })).outcome,
      'joined',
    )
    return candidateId
  }

  test('a link makes an account and a person of the agent, and no member of a company', async () => {
    const email = newAddress()
    const token = await invite(email, 'admin')
    assert.deepEqual(await links().find(token), {
      owner: { agentId },
      ownerName: 'Northwind',
      role: 'admin',
      email,
      hasAccount: false,
    })
    const joined = await links().joinWithNewAccount(token, typed, browser)
    assert.ok(joined.outcome === 'joined' && joined.signedIn !== undefined)
    assert.deepEqual(joined.owner, { agentId })
    const owner = await services().accounts.findSession(joined.signedIn.session)
    assert.equal(owner?.isMember, true)
    const candidateId = owner?.candidateId ?? ''
    assert.equal((await services().agentMembers.find(agentId, candidateId))?.role, 'admin')
    assert.equal(await services().members.find(advertiserId, candidateId), undefined)
    assert.deepEqual(await services().members.workplacesOf(candidateId), [])
    assert.equal((await services().agentMembers.workplacesOf(candidateId)).length, 1)
  })

  test(`a link used ${atOnce} times at once lets one person in, once on record`, async () => {
    const { id } = await services().agents.add('Raced')
    const email = newAddress()
    const token = await invite(email, 'reader', id)
    const results = await Promise.all(
      Array.from({ length: atOnce }, () => links().joinWithNewAccount(token, typed, browser)),
    )
    assert.equal(results.filter(({ outcome }) => outcome === 'joined').length, 1)
    assert.equal((await services().agentMembers.people(id)).colleagues.length, 1)
    const entries = await services()
      .database.reader.selectFrom('audit_entries')
      .select(['actor_kind', 'proof', 'after'])
      .where('action', '=', 'agent.join')
      .where('after', 'like', `%"agentId":${id},%`)
      .execute()
    assert.deepEqual(
      entries.map(({ actor_kind, proof }) => [actor_kind, proof]),
      [['person', 'link']],
    )
  })

  test('invitations to one address, all at once, leave one', async () => {
    const { id } = await services().agents.add('Invited')
    const email = newAddress()
    await Promise.all(Array.from({ length: atOnce }, () => invite(email, 'reader', id)))
    assert.equal((await services().agentMembers.people(id)).invitations.length, 1)
  })

  test('never without an admin, even if all leave at once', async () => {
    const { id } = await services().agents.add('Left')
    const admins = [await person('admin', id), await person('admin', id), await person('admin', id)]
    const changes = await Promise.all([
      ...admins.map(candidateId => services().agentMembers.remove(id, candidateId)),
      ...admins.map(candidateId => services().agentMembers.setRole(id, candidateId, 'reader')),
    ])
    assert.ok(changes.includes('last-admin'))
    const { colleagues } = await services().agentMembers.people(id)
    assert.equal(colleagues.filter(({ role }) => role === 'admin').length, 1)
  })

  test('there is no such agent', async () => {
    await assert.rejects(invitations().invite(99, newAddress(), 'admin'), /There is no agent 99/)
    await assert.rejects(services().agentMembers.peopleOf(99), /There is no agent 99/)
  })

  test('a person who was removed works for it no longer', async () => {
    const candidateId = await person('reader')
    await services().agentMembers.remove(agentId, candidateId)
    assert.equal(await services().agentMembers.find(agentId, candidateId), undefined)
  })
})
