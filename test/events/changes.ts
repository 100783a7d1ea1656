import assert from 'node:assert/strict'
import type { ProfileToken } from '../../src/model/principal.ts'
import { createSharingStore } from '../../src/share/prefill/sharing-store.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { uploaded } from '../harness/applications.ts'
import { addPerson, newPrefill, personRedirectUri, personSecretHash, prefilledId } from '../harness/person.ts'
import type { Services } from '../harness/services.ts'
import { addTenant, draftOf, type Tenant } from '../harness/tenant.ts'
import { storesOver } from '../store/stores.ts'
import type { Told } from './nodes.ts'

/** An advertiser, and a person who prefills the forms of its careers page. */
export interface Followed extends Tenant {
  token: ProfileToken
  resumeId: string
}

export async function addFollowed(services: Services): Promise<Followed> {
  const tenant = await addTenant(services)
  const { advertiserId } = tenant
  const stores = storesOver(services.database)
  const clientId = `careers-${advertiserId}`
  const client = { id: clientId, name: 'Careers', agentId: null, requirePkce: false }
  const rest = { scopes: [scopes.profile], redirectUris: [personRedirectUri] }
  await stores.clients.add({ ...client, ...rest }, personSecretHash, Date.now())
  // Who has applied elsewhere: a history is imported before the first application.
  const { id: elsewhere } = await services.advertisers.add('Elsewhere')
  const person = { name: `p${advertiserId}`, advertiserId: elsewhere, clientId }
  const { token, resumeId } = await addPerson(services, stores, person)
  return { ...tenant, token, resumeId }
}

/** Each change with a service of its own choice. Returns what was acknowledged, in the words of `story`. */
export async function change(
  { advertiserId, token, resumeId }: Omit<Followed, keyof Tenant> & Pick<Tenant, 'advertiserId'>,
  writer: number,
  rounds: number,
  choose: () => Services,
): Promise<string[]> {
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round++) {
    const name = `${advertiserId}-${writer}-${round}`
    const services = choose()
    const file = await uploaded(services, { type: 'resume', scan: 'unscanned' }, 'a resume')
    const { id } = await services.submissions.add(advertiserId, draftOf(name, [file]))
    acknowledged.push(`application.created ${id}`)
    const kind = (writer + round) % 3
    if (kind === 0) {
      await choose().applications.recordVerdict(advertiserId, id, 'resume', 'clean')
      acknowledged.push(`attachment.scanned ${id}`)
    } else if (kind === 1) {
      await choose().erasure.erase(advertiserId, id)
      acknowledged.push(`application.erased ${id}`)
    } else {
      const prefill = newPrefill(name, advertiserId, resumeId)
      const now = Date.now()
      await createSharingStore(choose().database).recordPrefill(token, prefill, now)
      const { complete } = createSharingStore(choose().database)
      assert.equal(await complete(token.clientId, prefill.id, now, now), true)
      acknowledged.push(`prefill.completed ${prefilledId(name)}`)
    }
  }
  return acknowledged
}

export const story = ({ id, type, data }: Told) =>
  `${id.split('_').at(-1)} ${type} ${data['applicationId'] ?? data['prefilledApplicationId']}`

export const followers = [
  { limit: 1, types: '' },
  { limit: 7, types: 'application.created,application.imported,application.erased' },
  { limit: 100, types: 'attachment.scanned,prefill.completed' },
  { limit: 1000, types: '' },
]

/** The first follower has seen every change once and in the order of its number; the others the same, as far as they asked for it. */
export function assertHistories(
  histories: readonly (readonly string[])[],
  acknowledged: readonly string[],
  imports: number,
): void {
  const [all = []] = histories
  assert.equal(new Set(all).size, all.length)
  for (const [index, seen] of histories.entries()) {
    const types = followers[index]?.types.split(',') ?? []
    assert.deepEqual(
      seen,
      all.filter(event => types.some(type => event.includes(` ${type}`))),
    )
  }
  const numbers = all.map(event => Number(event.split(' ')[0]))
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  )
  const imported = all.filter(event => event.includes(' application.imported '))
  assert.equal(imported.length, imports)
  assert.deepEqual(
    all.flatMap(event => (imported.includes(event) ? [] : event.replace(/^\d+ /, ''))).toSorted(),
    acknowledged.toSorted(),
  )
}
